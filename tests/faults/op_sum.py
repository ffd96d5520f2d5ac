def op_sum(x: "f32[4, 6]", y: "f32[4, 6]"):
    a = torch.exp(x)
    b = torch.mul(a, y)
    total = torch.sum(b, 1)
    c = torch.sin(total)
    d = torch.unsqueeze(c, 1)
    e = torch.mul(a, d)
    f = torch.add(e, 1.5)
    return (f,)
