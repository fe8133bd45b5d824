"""Latent attention: the keys and values of all heads are computed from one short vector per token."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attn_core import _require
from attn_core._softmax import softmax_rows
from attn_core.attention import resolve_mask
from attn_core.multi_head import MultiHead, MultiHeadAttention, merge_heads


@dataclass(frozen=True, eq=False)
class LatentAttention:
    r"""Multi-head attention whose keys and values are read from one low-rank latent vector per token.

    $$c = X W_c, \qquad K_h = c\,U_k^{(h)} + b_k^{(h)}, \qquad V_h = c\,U_v^{(h)} + b_v^{(h)}$$

    ``down`` W_c is (d_latent, d_key) as ``nn.Linear`` stores it, ``up_key`` and ``up_value`` are (n_head,
    d_head, d_latent). ``module`` holds W_q, W_o and the biases. Only c is cached: d_latent numbers per token,
    where multi-head attention caches 2 n_head d_head. There is no second, rotary part of the keys here, which
    DeepSeek-V2 adds because a rotation between query and key cannot be absorbed.

    Source: DeepSeek-AI (2024), DeepSeek-V2, section 2.1.2 and appendix C for the absorbed form.
    """

    module: MultiHeadAttention
    down: Float[Tensor, "d_latent d_key"]
    up_key: Float[Tensor, "n_head d_head d_latent"]
    up_value: Float[Tensor, "n_head d_head d_latent"]

    @classmethod
    def from_multi_head(cls, module: MultiHeadAttention, d_latent: int) -> "LatentAttention":
        r"""Return the best approximation of a multi-head attention by rank ``d_latent``.

        W_k and W_v, one above the other, are one map M (2 n_head d_head, d_key); with its singular value
        decomposition $M = U \Sigma V^\top$, W_c is the first d_latent rows of $V^\top$; the ups are as many
        columns of $U \Sigma$. No map of that rank is nearer to M (Eckart and Young, 1936).

        Invariant: nothing is lost if d_latent is at least the rank of M, which is at most d_key.

        Raises ValueError for a d_latent outside 1 to min(d_key, 2 n_head d_head), for keys and values of
        different widths, for heads that share keys already, and for a rotation, which would come between
        W_q and ``up_key``.
        """
        if module.rotation is not None:
            raise ValueError(
                "the maps of keys can be absorbed only where nothing stands between query and key; got the "
                f"rotation {module.rotation.name}"
            )
        if module.d_key != module.d_value or module.num_kv_heads != module.num_heads:
            raise ValueError(
                "the module must read keys and values of one width with as many key heads as heads; got "
                f"d_key={module.d_key}, d_value={module.d_value}, num_heads={module.num_heads} and "
                f"num_kv_heads={module.num_kv_heads}"
            )
        both = torch.cat([module.W_k.weight, module.W_v.weight]).detach()
        d_latent = _require.integer("d_latent", d_latent, least=1, most=min(both.shape))
        u, s, vh = torch.linalg.svd(both, full_matrices=False)
        # (2 * n_head * d_head, d_latent) -> (2, n_head, d_head, d_latent)
        ups = (u * s)[:, :d_latent].reshape(2, module.num_heads, module.d_head, d_latent)
        return cls(module, vh[:d_latent], ups[0], ups[1])

    def truncate(self, d_latent: int) -> "LatentAttention":
        """Return the same attention with only the first ``d_latent`` latent numbers.

        Raises ValueError for a d_latent outside 1 to this one's.
        """
        d_latent = _require.integer("d_latent", d_latent, least=1, most=self.d_latent)
        ups = (up[..., :d_latent] for up in (self.up_key, self.up_value))
        return LatentAttention(self.module, self.down[:d_latent], *ups)

    @property
    def d_latent(self) -> int:
        """The width of the latent vectors."""
        return self.down.shape[0]

    @property
    def parameters(self) -> int:
        """How many numbers W_q, W_c, ``up_key``, ``up_value``, W_o and the biases hold."""
        linears = (self.module.W_q, self.module.W_k, self.module.W_v, self.module.W_o)
        biases = sum(each.bias.numel() for each in linears if each is not None and each.bias is not None)
        whole = self.module.W_q.weight.numel() + (
            0 if self.module.W_o is None else self.module.W_o.weight.numel()
        )
        return whole + biases + self.down.numel() + self.up_key.numel() + self.up_value.numel()

    def latent(self, x: Float[Tensor, "*batch n d_key"]) -> Float[Tensor, "*batch n d_latent"]:
        """Return the latent vector of each token."""
        return x @ self.down.T

    def attend_expanded(
        self,
        query: Float[Tensor, "*batch n_query d_model"],
        key: Float[Tensor, "*batch n_key d_key"] | None = None,
        attn_mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
    ) -> MultiHead:
        """Attend with keys and values expanded from the latent vectors, as in the definition.

        ``query`` (*batch, n_query, d_model), ``key`` (*batch, n_key, d_key), the query when None; the mask
        as in ``scaled_dot_product_attention``.
        """
        key = query if key is None else key
        q = self.module.project_query(query)
        c = self.latent(key).unsqueeze(-3)
        bias_key, bias_value = self._biases()
        k = c @ self.up_key.mT + bias_key.unsqueeze(-2)
        v = c @ self.up_value.mT + bias_value.unsqueeze(-2)
        return self.module.attend(q, k, v, attn_mask)

    def attend_absorbed(
        self,
        query: Float[Tensor, "*batch n_query d_model"],
        key: Float[Tensor, "*batch n_key d_key"] | None = None,
        attn_mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
    ) -> tuple[Float[Tensor, "*batch n_head n_query n_key"], Float[Tensor, "*batch n_query d_out"]]:
        r"""Return weights and output straight from the latent vectors, without expanding keys and values.

        $$q_h \cdot K_h = (q_h U_k^{(h)})\,c^\top + q_h \cdot b_k^{(h)}, \qquad
          A_h V_h = (A_h c)\,U_v^{(h)\top} + b_v^{(h)}$$

        Invariant: both are those of ``attend_expanded``, by the associativity of the product alone.
        """
        key = query if key is None else key
        q = self.module.project_query(query)
        c = self.latent(key).unsqueeze(-3)
        bias_key, bias_value = self._biases()
        scores = (q @ self.up_key) @ c.mT + q @ bias_key.unsqueeze(-1)
        scaled_scores = scores * (self.module.d_head**-0.5 / self.module.temperature)
        mask, bias = resolve_mask(attn_mask, False, shape=scores.shape, like=q)
        empty = None
        if bias is not None:
            scaled_scores = scaled_scores + bias
        if mask is not None:
            scaled_scores = scaled_scores.masked_fill(~mask, -torch.inf)
            empty = ~mask.any(dim=-1, keepdim=True)
        weights = softmax_rows(scaled_scores, empty)
        # A row of weights sums to one, or to zero if fully masked: this sum scales the bias of the values.
        heads = (weights @ c) @ self.up_value.mT + weights.sum(-1, keepdim=True) * bias_value.unsqueeze(-2)
        concatenated = merge_heads(heads)
        return weights, concatenated if self.module.W_o is None else self.module.W_o(concatenated)

    def _biases(self) -> tuple[Tensor, Tensor]:
        """The biases of keys and of values, (n_head, d_head) each; zero where there is none."""
        shape = self.up_key.shape[:2]
        key, value = (
            self.up_key.new_zeros(shape) if linear.bias is None else linear.bias.reshape(shape)
            for linear in (self.module.W_k, self.module.W_v)
        )
        return key, value
