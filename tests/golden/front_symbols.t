Symbolic sizes are numbers once they are given; a change of a size acquires the program again.

-- program
class GraphModule(torch.nn.Module):
    def forward(self, s0: "Sym(s0)", L_x_: "f32[s0, 4]"):
        l_x_ = L_x_
        mul: "Sym(2*s0)" = s0 * 2
        view: "f32[2*s0, 2]" = l_x_.view(mul, 2)
        add: "f32[2*s0, 2]" = view + s0
        return (add,)

-- symbol s0 3

-- after acquired
def forward(L_x_):
  # L_x_: "cpu f32[3, 4]"
  view = ltorch.view(L_x_, 6, 2)  # view: "cpu f32[6, 2]"
  add = ltorch.add(view, 3, alpha=1)  # add: "cpu f32[6, 2]"
  return (add,)

-- after last
def forward(L_x_):
  # L_x_: "cpu f32[3, 4]"
  view = prims.reshape(L_x_, (6, 2))  # view: "cpu f32[6, 2]" @interp
  del L_x_
  add = prims.add(view, 3.0)  # add: "cpu f32[6, 2]" @interp
  del view
  return (add,)
