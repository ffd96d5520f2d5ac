Random draws are never joined, however alike they look; the same seed gives the same numbers.

-- program
def computation(x):
  # x: "cpu f32[2, 3]"
  a = prims.uniform_philox((2, 3), 0.0, 1.0, device=devices.Device("cpu"), dtype=dtypes.float32, seed=1, offset=2)  # a: "cpu f32[2, 3]"
  b = prims.uniform_philox((2, 3), 0.0, 1.0, device=devices.Device("cpu"), dtype=dtypes.float32, seed=1, offset=2)  # b: "cpu f32[2, 3]"
  c = prims.sub(a, b)  # c: "cpu f32[2, 3]"
  d = prims.add(c, x)  # d: "cpu f32[2, 3]"
  return (a, c, d)

-- after cse
def computation(x):
  # x: "cpu f32[2, 3]"
  a = prims.uniform_philox((2, 3), 0.0, 1.0, device=devices.Device("cpu"), dtype=dtypes.float32, seed=1, offset=2)  # a: "cpu f32[2, 3]"
  b = prims.uniform_philox((2, 3), 0.0, 1.0, device=devices.Device("cpu"), dtype=dtypes.float32, seed=1, offset=2)  # b: "cpu f32[2, 3]"
  c = prims.sub(a, b)  # c: "cpu f32[2, 3]"
  d = prims.add(c, x)  # d: "cpu f32[2, 3]"
  return (a, c, d)

-- value
output 0:
[[0.9031, 0.5505, 0.2462],
 [0.0392, 0.7176, 0.8555]]
output 1:
[[0., 0., 0.],
 [0., 0., 0.]]
output 2:
[[-1.0056, -0.1654,  0.9256],
 [ 0.2541, -0.5354, -1.7231]]
