class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[6, 16]", wq: "f32[16, 16]", wk: "f32[16, 16]", wv: "f32[16, 16]"):
        # File: attention.py:12 in forward, code: q = x @ self.wq
        q: "f32[6, 16]" = torch.matmul(x, wq)
        # File: attention.py:13 in forward, code: k = x @ self.wk
        k: "f32[6, 16]" = torch.matmul(x, wk)
        # File: attention.py:14 in forward, code: v = x @ self.wv
        v: "f32[6, 16]" = torch.matmul(x, wv)
        # File: attention.py:15 in forward, code: scores = q @ k.t()
        kt: "f32[16, 6]" = k.t()
        scores: "f32[6, 6]" = torch.matmul(q, kt)
        # File: attention.py:16 in forward, code: e = torch.exp(scores)
        e: "f32[6, 6]" = torch.exp(scores)
        # File: attention.py:17 in forward, code: p = e / e.sum(-1, keepdim=True)
        s: "f32[6, 1]" = e.sum(-1, keepdim=True)
        p: "f32[6, 6]" = e / s
        # File: attention.py:18 in forward, code: p = torch.nan_to_num(p)
        safe: "f32[6, 6]" = torch.nan_to_num(p)
        # File: attention.py:19 in forward, code: return p @ v
        out: "f32[6, 16]" = torch.matmul(safe, v)
        return (out,)
