import thunder
import thunder.torch as ltorch
import torch
from thunder.executors.torchex import no_autocast

@torch.no_grad()
@no_autocast
def computation(x):
  # x: "cpu f32[4, 5]"

  # program.py:25: 	return model(x)
  t0 = ltorch.getitem(x, (slice(None, None, None), slice(1, 3, None)))  # t0: "cpu f32[4, 2]"
    # t0 = prims.slice_prim(x, [0, 1], [4, 3], [1, 1])  # t0: "cpu f32[4, 2]"
  t1 = ltorch.getitem(t0, (..., None))  # t1: "cpu f32[4, 2, 1]"
    # t1 = prims.broadcast_in_dim(t0, [4, 2, 1], [0, 1])  # t1: "cpu f32[4, 2, 1]"
  t4 = ltorch.sum(t1, 1, False, dtype=None)  # t4: "cpu f32[4, 1]"
    # t2 = ltorch.to(t1, dtypes.float32, None, copy=False, device=None, dtype=None, memory_format=None)  # t2: "cpu f32[4, 2, 1]"
      # t2 = prims.shallow_copy(t1)  # t2: "cpu f32[4, 2, 1]"
    # t3 = prims.sum(t2, (1,))  # t3: "cpu f32[4, 1]"
    # t4 = ltorch.to(t3, dtypes.float32, None, copy=False, device=None, dtype=None, memory_format=None)  # t4: "cpu f32[4, 1]"
      # t4 = prims.shallow_copy(t3)  # t4: "cpu f32[4, 1]"
  return (t4,)
