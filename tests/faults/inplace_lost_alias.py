def inplace_lost_alias(x: "f32[4, 6]", y: "f32[4, 6]"):
    base = torch.mul(y, 2.0)
    a = torch.exp(x)
    view = base[0]
    base.add_(a)
    b = torch.cos(x)
    c = torch.add(view, 1.0)
    d = torch.mul(c, b)
    e = torch.add(base, d)
    return (e,)
