import torch

from attn_core import capture

layer = torch.nn.TransformerEncoderLayer(d_model=32, nhead=4, batch_first=True)
model = torch.nn.TransformerEncoder(layer, num_layers=2)

captured = capture(model, src=torch.randn(1, 6, 32), tokens="the cat sat on the mat".split())
captured.save("heads.npz")
