class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[8, 16]", L_w1_: "f32[32, 16]", L_w2_: "f32[16, 32]", L_w3_: "f32[4, 16]"):
        l_x_ = L_x_
        l_w1_ = L_w1_
        l_w2_ = L_w2_
        l_w3_ = L_w3_

        # File: model.py:8 in f, code: h=checkpoint(body,x,w1,w2,use_reentrant=False)
        wrap_body_0 = self.wrap_body_0
        tag_activation_checkpoint = torch.ops.higher_order.tag_activation_checkpoint(wrap_body_0, l_x_, l_w1_, l_w2_, use_reentrant = False);  wrap_body_0 = l_x_ = l_w1_ = l_w2_ = None
        h: "f32[8, 16]" = tag_activation_checkpoint[0];  tag_activation_checkpoint = None

        # File: model.py:9 in f, code: h2=checkpoint(body2,h,use_reentrant=False)
        wrap_body_1 = self.wrap_body_1
        tag_activation_checkpoint_1 = torch.ops.higher_order.tag_activation_checkpoint(wrap_body_1, h, use_reentrant = False);  wrap_body_1 = h = None
        h2: "f32[8, 16]" = tag_activation_checkpoint_1[0];  tag_activation_checkpoint_1 = None

        # File: model.py:10 in f, code: return F.linear(h2,w3)
        linear: "f32[8, 4]" = torch._C._nn.linear(h2, l_w3_);  h2 = l_w3_ = None
        return (linear,)

    class wrap_body_0(torch.nn.Module):
        def forward(self, l_x_: "f32[8, 16]", l_w1_: "f32[32, 16]", l_w2_: "f32[16, 32]"):
            # File: model.py:5 in body, code: return F.linear(F.gelu(F.linear(x,w1)),w2)
            linear: "f32[8, 32]" = torch._C._nn.linear(l_x_, l_w1_);  l_x_ = l_w1_ = None
            gelu: "f32[8, 32]" = torch._C._nn.gelu(linear);  linear = None
            linear_1: "f32[8, 16]" = torch._C._nn.linear(gelu, l_w2_);  gelu = l_w2_ = None
            return (linear_1,)

    class wrap_body_1(torch.nn.Module):
        def forward(self, h: "f32[8, 16]"):
            # File: model.py:6 in body2, code: def body2(h): return torch.exp(torch.sin(h))
            sin: "f32[8, 16]" = torch.sin(h);  h = None
            exp: "f32[8, 16]" = torch.exp(sin);  sin = None
            return (exp,)
