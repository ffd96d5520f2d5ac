# Nine results of 17.2 GB each, and nine temporaries of that size that live at the same time.
def results(x: "f32[65536, 1]", y: "f32[1, 65536]"):
    return (x * y, x + y, x - y, y - x, x * y * 2, x * y + 3, x + y * 4, x * 5 + y, x * y - 6)


def temporaries(x: "f32[65536, 16]", y: "f32[16, 65536]"):
    a, b, c = (x + 1) @ y, (x + 2) @ y, (x + 3) @ y
    d, e, f = (x + 4) @ y, (x + 5) @ y, (x + 6) @ y
    g, h, i = (x + 7) @ y, (x + 8) @ y, (x + 9) @ y
    return (torch.stack((a, b, c, d, e, f, g, h, i)).sum(0) @ y.T,)
