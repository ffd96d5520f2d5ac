class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4, 16]", w_gate: "f32[32, 16]", w_up: "f32[32, 16]", w_down: "f32[16, 32]", w_out: "f32[8, 16]"):
        # File: gated_mlp.py:12 in forward, code: gate = self.gate(x)
        gate: "f32[4, 32]" = torch._C._nn.linear(x, w_gate, None)

        # File: gated_mlp.py:13 in forward, code: gate = gate * torch.sigmoid(gate)
        sigmoid: "f32[4, 32]" = torch.sigmoid(gate)
        act: "f32[4, 32]" = gate * sigmoid;  gate = sigmoid = None

        # File: gated_mlp.py:14 in forward, code: h = gate * self.up(x)
        up: "f32[4, 32]" = torch._C._nn.linear(x, w_up, None)
        h: "f32[4, 32]" = act * up;  act = up = None

        # File: gated_mlp.py:15 in forward, code: h = x + self.down(h)
        down: "f32[4, 16]" = torch._C._nn.linear(h, w_down, None);  h = None
        res: "f32[4, 16]" = x + down;  x = down = None

        # File: gated_mlp.py:16 in forward, code: h = torch.sigmoid(h) * h
        sigmoid_1: "f32[4, 16]" = res.sigmoid()
        act_1: "f32[4, 16]" = sigmoid_1 * res;  sigmoid_1 = res = None

        # File: gated_mlp.py:17 in forward, code: return self.out(h)
        out: "f32[4, 8]" = torch._C._nn.linear(act_1, w_out, None);  act_1 = w_out = None
        return (out,)
