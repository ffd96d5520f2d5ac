def casts_rounded(x: "f32[4, 6]", y: "f32[4, 6]"):
    a = torch.exp(y)
    b = torch.add(x, a)
    narrow = b.to(torch.bfloat16)
    wide = narrow.to(torch.float32)
    c = torch.sub(wide, b)
    d = torch.mul(c, 64.0)
    e = torch.add(d, a)
    return (e,)
