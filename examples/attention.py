class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 6, 16]", w_qkv: "f32[48, 16]", b_qkv: "f32[48]", w_out: "f32[16, 16]", b_out: "f32[16]"):
        # File: attention.py:18 in forward, code: q, k, v = self.qkv(x).view(b, t, 3, h, d).permute(2, 0, 3, 1, 4)
        linear: "f32[2, 6, 48]" = torch._C._nn.linear(x, w_qkv, b_qkv);  w_qkv = b_qkv = None
        view: "f32[2, 6, 3, 4, 4]" = linear.view(2, 6, 3, 4, 4);  linear = None
        qkv: "f32[3, 2, 4, 6, 4]" = view.permute(2, 0, 3, 1, 4);  view = None
        q: "f32[2, 4, 6, 4]" = qkv[0]
        k: "f32[2, 4, 6, 4]" = qkv[1]
        v: "f32[2, 4, 6, 4]" = qkv[2];  qkv = None

        # File: attention.py:20 in forward, code: scores = q @ k.transpose(-2, -1) / d ** 0.5
        k_t: "f32[2, 4, 4, 6]" = k.transpose(-2, -1);  k = None
        matmul: "f32[2, 4, 6, 6]" = q @ k_t;  q = k_t = None
        scores: "f32[2, 4, 6, 6]" = matmul / 2.0;  matmul = None

        # File: attention.py:21 in forward, code: scores = scores.masked_fill(self.causal, float("-inf"))
        ones: "b8[6, 6]" = torch.ones(6, 6, dtype = torch.bool)
        causal: "b8[6, 6]" = torch.triu(ones, diagonal = 1);  ones = None
        masked: "f32[2, 4, 6, 6]" = scores.masked_fill(causal, float('-inf'));  scores = causal = None

        # File: attention.py:22 in forward, code: p = scores.softmax(-1)
        p: "f32[2, 4, 6, 6]" = masked.softmax(dim = -1);  masked = None

        # File: attention.py:23 in forward, code: y = (p @ v).transpose(1, 2).reshape(b, t, -1)
        matmul_1: "f32[2, 4, 6, 4]" = p @ v;  p = v = None
        transpose: "f32[2, 6, 4, 4]" = matmul_1.transpose(1, 2);  matmul_1 = None
        y: "f32[2, 6, 16]" = transpose.reshape(2, 6, -1);  transpose = None

        # File: attention.py:24 in forward, code: return x + self.out(y)
        linear_1: "f32[2, 6, 16]" = torch._C._nn.linear(y, w_out, b_out);  y = w_out = b_out = None
        add: "f32[2, 6, 16]" = x + linear_1;  x = linear_1 = None
        return (add,)
