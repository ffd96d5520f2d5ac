def fold_scalar(x: "i64[4, 6]", y: "i64[4, 6]"):
    a = torch.mul(y, 1)
    b = torch.mul(x, 3)
    first = torch.add(b, 100)
    sum = torch.add(first, 100)
    c = torch.sub(a, 0)
    d = torch.add(sum, c)
    e = torch.mul(d, 2)
    return (e,)
