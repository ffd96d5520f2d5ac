def fold_order(x: "f32[3, 3, 3]", y: "f32[3, 3, 3]"):
    a = torch.mul(y, 1)
    b = torch.permute(x, (1, 2, 0))
    turned = torch.permute(b, (0, 2, 1))
    c = torch.exp(a)
    d = torch.mul(turned, c)
    e = torch.add(d, a)
    f = torch.sin(e)
    return (f,)
