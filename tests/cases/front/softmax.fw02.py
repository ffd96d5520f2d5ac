# Constructed by Remove context manager prims
import thunder
import thunder.torch as ltorch
import torch
from thunder.executors.torchex import no_autocast

@torch.no_grad()
@no_autocast
def computation(x):
  # x: "cpu f32[3, 7]"

  # program.py:25: 	return model(x)
  t14 = ltorch._softmax(x, -1, dtype=None)  # t14: "cpu f32[3, 7]"
    # t0 = ltorch.to(x, dtypes.float32, None, copy=False, device=None, dtype=None, memory_format=None)  # t0: "cpu f32[3, 7]"
      # t0 = prims.shallow_copy(x)  # t0: "cpu f32[3, 7]"
    # t4 = ltorch.amax(t0, -1, True)  # t4: "cpu f32[3, 1]"
      # t1 = ltorch.to(t0, dtypes.float32, None, copy=False, device=None, dtype=None, memory_format=None)  # t1: "cpu f32[3, 7]"
        # t1 = prims.shallow_copy(t0)  # t1: "cpu f32[3, 7]"
      # t2 = prims.amax(t1, (1,))  # t2: "cpu f32[3]"
      # t3 = prims.broadcast_in_dim(t2, [3, 1], [0])  # t3: "cpu f32[3, 1]"
      # t4 = ltorch.to(t3, dtypes.float32, None, copy=False, device=None, dtype=None, memory_format=None)  # t4: "cpu f32[3, 1]"
        # t4 = prims.shallow_copy(t3)  # t4: "cpu f32[3, 1]"
    # t6 = ltorch.sub(t0, t4, alpha=1)  # t6: "cpu f32[3, 7]"
      # t5 = prims.broadcast_in_dim(t4, (3, 7), (0, 1))  # t5: "cpu f32[3, 7]"
      # t6 = prims.sub(t0, t5)  # t6: "cpu f32[3, 7]"
    # t7 = ltorch.exp(t6)  # t7: "cpu f32[3, 7]"
      # t7 = prims.exp(t6)  # t7: "cpu f32[3, 7]"
    # t11 = ltorch.sum(t7, -1, True, dtype=None)  # t11: "cpu f32[3, 1]"
      # t8 = ltorch.to(t7, dtypes.float32, None, copy=False, device=None, dtype=None, memory_format=None)  # t8: "cpu f32[3, 7]"
        # t8 = prims.shallow_copy(t7)  # t8: "cpu f32[3, 7]"
      # t9 = prims.sum(t8, (1,))  # t9: "cpu f32[3]"
      # t10 = prims.broadcast_in_dim(t9, [3, 1], [0])  # t10: "cpu f32[3, 1]"
      # t11 = ltorch.to(t10, dtypes.float32, None, copy=False, device=None, dtype=None, memory_format=None)  # t11: "cpu f32[3, 1]"
        # t11 = prims.shallow_copy(t10)  # t11: "cpu f32[3, 1]"
    # t13 = ltorch.true_divide(t7, t11)  # t13: "cpu f32[3, 7]"
      # t12 = prims.broadcast_in_dim(t11, (3, 7), (0, 1))  # t12: "cpu f32[3, 7]"
      # t13 = prims.div(t7, t12)  # t13: "cpu f32[3, 7]"
    # t14 = ltorch.to(t13, dtypes.float32, None, copy=False, device=None, dtype=None, memory_format=None)  # t14: "cpu f32[3, 7]"
      # t14 = prims.shallow_copy(t13)  # t14: "cpu f32[3, 7]"
  return {'flat_args': [x], 'output': (t14,)}
