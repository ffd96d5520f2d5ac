A trace as Thunder prints it: types as comments, decompositions as deeper comments.

-- program
# Constructed by Transform for execution (took 1 milliseconds)
import torch
from thunder.executors.torchex import no_autocast

@torch.no_grad()
@no_autocast
def computation(x, y):
  # x: "cpu f32[2, 3]"
  # y: "cpu f32[3]"

  # /home/me/net.py:12: 	    return torch.exp(x + y)
  t1 = ltorch.add(x, y, alpha=1)  # t1: "cpu f32[2, 3]"
    # t0 = prims.broadcast_in_dim(y, (2, 3), (1,))  # t0: "cpu f32[2, 3]"
    # t1 = prims.add(x, t0)  # t1: "cpu f32[2, 3]"
  t2 = prims.exp(t1)  # t2: "cpu f32[2, 3]"
  return t2

-- after acquired -1
def computation(x, y):
  # x: "cpu f32[2, 3]"
  # y: "cpu f32[3]"
  t1 = ltorch.add(x, y, alpha=1)  # t1: "cpu f32[2, 3]"
    # t0 = prims.broadcast_in_dim(y, (2, 3), (1,))  # t0: "cpu f32[2, 3]"
    # t1 = prims.add(x, t0)  # t1: "cpu f32[2, 3]"
  t2 = prims.exp(t1)  # t2: "cpu f32[2, 3]"
  return t2

-- after last
def computation(x, y):
  # x: "cpu f32[2, 3]"
  # y: "cpu f32[3]"
  t0 = prims.broadcast_in_dim(y, (2, 3), (1,))  # t0: "cpu f32[2, 3]" @interp
  del y
  t1 = prims.add(x, t0)  # t1: "cpu f32[2, 3]" @interp +0
  del x, t0
  t2 = prims.exp(t1)  # t2: "cpu f32[2, 3]" @interp
  del t1
  return t2

-- value 3
output 0:
[[1.3099, 2.7377, 0.3298],
 [0.2571, 2.7299, 0.0975]]
