ATen calls of AOTAutograd: overloads, strides and devices in annotations, tuple results taken apart.

-- program
class <lambda>(torch.nn.Module):
    def forward(self, primals_1: "f32[4, 4][4, 1]cpu", primals_2: "f32[4][1]cpu"):
        # No stacktrace found for following nodes
        mul: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mul.Tensor(primals_1, 0.5);  primals_1 = None
        add: "f32[4, 4][4, 1]cpu" = torch.ops.aten.add.Tensor(mul, primals_2, alpha = 2);  mul = primals_2 = None
        var_mean = torch.ops.aten.var_mean.correction(add, [1], correction = 0, keepdim = True)
        getitem: "f32[4, 1][1, 1]cpu" = var_mean[0]
        getitem_1: "f32[4, 1][1, 1]cpu" = var_mean[1];  var_mean = None
        sub: "f32[4, 4][4, 1]cpu" = torch.ops.aten.sub.Tensor(add, getitem_1)
        view: "f32[2, 8][8, 1]cpu" = torch.ops.aten.view.default(sub, [2, -1]);  sub = None
        return (view, getitem, getitem_1)

-- after acquired
def forward(primals_1, primals_2):
  # primals_1: "cpu f32[4, 4]"
  # primals_2: "cpu f32[4]"
  mul = ltorch.mul(primals_1, 0.5)  # mul: "cpu f32[4, 4]"
  add = ltorch.add(mul, primals_2, alpha=2)  # add: "cpu f32[4, 4]"
  (getitem, getitem_1) = ltorch.var_mean(add, [1], None, True, correction=0)
  sub = ltorch.sub(add, getitem_1, alpha=1)  # sub: "cpu f32[4, 4]"
  view = ltorch.view(sub, [2, -1])  # view: "cpu f32[2, 8]"
  return (view, getitem, getitem_1)

-- after claim
def forward(primals_1, primals_2):
  # primals_1: "cpu f32[4, 4]"
  # primals_2: "cpu f32[4]"
  mul = prims.mul(primals_1, 0.5)  # mul: "cpu f32[4, 4]" @interp
  t1 = prims.mul(primals_2, 2.0)  # t1: "cpu f32[4]" @interp
  t2 = prims.broadcast_in_dim(t1, (4, 4), (1,))  # t2: "cpu f32[4, 4]" @interp
  add = prims.add(mul, t2)  # add: "cpu f32[4, 4]" @interp
  (t4, t5) = prims.var_mean(add, (1,), correction=0)  # @interp
  getitem = prims.broadcast_in_dim(t4, (4, 1), (0,))  # getitem: "cpu f32[4, 1]" @interp
  getitem_1 = prims.broadcast_in_dim(t5, (4, 1), (0,))  # getitem_1: "cpu f32[4, 1]" @interp
  t8 = prims.broadcast_in_dim(getitem_1, (4, 4), (0, 1))  # t8: "cpu f32[4, 4]" @interp
  sub = prims.sub(add, t8)  # sub: "cpu f32[4, 4]" @interp
  view = prims.reshape(sub, (2, 8))  # view: "cpu f32[2, 8]" @interp
  return (view, getitem, getitem_1)

-- value
output 0:
[[ 4.9538, -1.6556, -0.0699, ..., -1.4987, -0.2485, -3.1529],
 [ 3.9055, -1.5960,  0.1986, ..., -0.7681, -0.3242, -2.5592]]
output 1:
[[9.4268],
 [9.0653],
 [6.0327],
 [5.1448]]
output 2:
[[0.4341],
 [0.1384],
 [0.1618],
 [0.4582]]
