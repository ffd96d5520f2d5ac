A graph as Dynamo prints it: parameters as inputs, statements that only free memory.

-- program
class GraphModule(torch.nn.Module):
    def forward(self, L_self_modules_fc1_parameters_weight_: "f32[3, 4]", L_self_modules_fc1_parameters_bias_: "f32[3]", L_x_: "f32[2, 4]"):
        l_self_modules_fc1_parameters_weight_ = L_self_modules_fc1_parameters_weight_
        l_self_modules_fc1_parameters_bias_ = L_self_modules_fc1_parameters_bias_
        l_x_ = L_x_

        # File: model.py:7 in forward, code: return F.relu(self.fc1(x))
        linear: "f32[2, 3]" = torch._C._nn.linear(l_x_, l_self_modules_fc1_parameters_weight_, l_self_modules_fc1_parameters_bias_);  l_x_ = l_self_modules_fc1_parameters_weight_ = l_self_modules_fc1_parameters_bias_ = None
        relu: "f32[2, 3]" = torch.nn.functional.relu(linear, inplace = False);  linear = None
        return (relu,)

-- after acquired
def forward(L_self_modules_fc1_parameters_weight_, L_self_modules_fc1_parameters_bias_, L_x_):
  # L_self_modules_fc1_parameters_weight_: "cpu f32[3, 4]"
  # L_self_modules_fc1_parameters_bias_: "cpu f32[3]"
  # L_x_: "cpu f32[2, 4]"
  linear = ltorch.linear(L_x_, L_self_modules_fc1_parameters_weight_, L_self_modules_fc1_parameters_bias_)  # linear: "cpu f32[2, 3]"
  relu = ltorch.relu(linear, False)  # relu: "cpu f32[2, 3]"
  return (relu,)

-- after acquired -1
def forward(L_self_modules_fc1_parameters_weight_, L_self_modules_fc1_parameters_bias_, L_x_):
  # L_self_modules_fc1_parameters_weight_: "cpu f32[3, 4]"
  # L_self_modules_fc1_parameters_bias_: "cpu f32[3]"
  # L_x_: "cpu f32[2, 4]"
  linear = ltorch.linear(L_x_, L_self_modules_fc1_parameters_weight_, L_self_modules_fc1_parameters_bias_)  # linear: "cpu f32[2, 3]"
    # linear = prims.linear(L_x_, L_self_modules_fc1_parameters_weight_, L_self_modules_fc1_parameters_bias_)  # linear: "cpu f32[2, 3]"
  relu = ltorch.relu(linear, False)  # relu: "cpu f32[2, 3]"
    # relu = prims.maximum(linear, 0.0)  # relu: "cpu f32[2, 3]"
  return (relu,)

-- after claim
def forward(L_self_modules_fc1_parameters_weight_, L_self_modules_fc1_parameters_bias_, L_x_):
  # L_self_modules_fc1_parameters_weight_: "cpu f32[3, 4]"
  # L_self_modules_fc1_parameters_bias_: "cpu f32[3]"
  # L_x_: "cpu f32[2, 4]"
  linear = prims.linear(L_x_, L_self_modules_fc1_parameters_weight_, L_self_modules_fc1_parameters_bias_)  # linear: "cpu f32[2, 3]" @interp
  relu = prims.maximum(linear, 0.0)  # relu: "cpu f32[2, 3]" @interp
  return (relu,)

-- value
output 0:
[[0.0000, 3.2064, 2.2403],
 [0.0913, 2.0874, 0.8883]]
