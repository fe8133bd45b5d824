import torch

from attn_core import capture

layer = torch.nn.TransformerEncoderLayer(d_model=32, nhead=4, batch_first=True)
model, inputs = torch.nn.TransformerEncoder(layer, num_layers=2), {"src": torch.randn(1, 6, 32)}

captured = capture(model, **inputs, tokens="the cat sat on the mat".split())
captured.save("heads.npz")
