import torch
from math import inf

def case0(t: "f32[2, 2, 3]", u: "f32[2, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (2, 1, 2, 1), False)
    y1 = torch.nn.functional.affine_grid(u, (2, 1, 2, 2, 1), False)
    return (y0, y1,)

def case1(t: "f64[1, 2, 3]", u: "f64[1, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (1, 1, 2, 2), False)
    y1 = torch.nn.functional.affine_grid(u, (1, 1, 2, 2, 2), False)
    return (y0, y1,)

def case2(t: "f32[1, 2, 3]", u: "f32[1, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (1, 1, 3, 1), False)
    y1 = torch.nn.functional.affine_grid(u, (1, 1, 2, 3, 1), False)
    return (y0, y1,)

def case3(t: "f64[3, 2, 3]", u: "f64[3, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (3, 1, 1, 2), False)
    y1 = torch.nn.functional.affine_grid(u, (3, 1, 2, 1, 2), False)
    return (y0, y1,)

def case4(t: "f32[1, 2, 3]", u: "f32[1, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (1, 1, 4, 3), True)
    y1 = torch.nn.functional.affine_grid(u, (1, 1, 2, 4, 3), True)
    return (y0, y1,)

def case5(t: "f64[3, 2, 3]", u: "f64[3, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (3, 1, 3, 1), False)
    y1 = torch.nn.functional.affine_grid(u, (3, 1, 2, 3, 1), False)
    return (y0, y1,)

def case6(t: "f32[1, 2, 3]", u: "f32[1, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (1, 1, 1, 3), True)
    y1 = torch.nn.functional.affine_grid(u, (1, 1, 2, 1, 3), True)
    return (y0, y1,)

def case7(t: "f64[2, 2, 3]", u: "f64[2, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (2, 1, 1, 3), True)
    y1 = torch.nn.functional.affine_grid(u, (2, 1, 2, 1, 3), True)
    return (y0, y1,)

def case8(t: "f32[3, 2, 3]", u: "f32[3, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (3, 1, 3, 1), True)
    y1 = torch.nn.functional.affine_grid(u, (3, 1, 2, 3, 1), True)
    return (y0, y1,)

def case9(t: "f64[2, 2, 3]", u: "f64[2, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (2, 1, 1, 4), False)
    y1 = torch.nn.functional.affine_grid(u, (2, 1, 2, 1, 4), False)
    return (y0, y1,)

def case10(t: "f32[1, 2, 3]", u: "f32[1, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (1, 1, 1, 4), True)
    y1 = torch.nn.functional.affine_grid(u, (1, 1, 2, 1, 4), True)
    return (y0, y1,)

def case11(t: "f64[2, 2, 3]", u: "f64[2, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (2, 1, 1, 2), True)
    y1 = torch.nn.functional.affine_grid(u, (2, 1, 2, 1, 2), True)
    return (y0, y1,)

def case12(t: "f32[2, 2, 3]", u: "f32[2, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (2, 1, 1, 4), True)
    y1 = torch.nn.functional.affine_grid(u, (2, 1, 2, 1, 4), True)
    return (y0, y1,)

def case13(t: "f64[3, 2, 3]", u: "f64[3, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (3, 1, 1, 3), False)
    y1 = torch.nn.functional.affine_grid(u, (3, 1, 2, 1, 3), False)
    return (y0, y1,)

def case14(t: "f32[3, 2, 3]", u: "f32[3, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (3, 1, 2, 2), False)
    y1 = torch.nn.functional.affine_grid(u, (3, 1, 2, 2, 2), False)
    return (y0, y1,)

def case15(t: "f64[2, 2, 3]", u: "f64[2, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (2, 1, 4, 4), False)
    y1 = torch.nn.functional.affine_grid(u, (2, 1, 2, 4, 4), False)
    return (y0, y1,)

def case16(t: "f32[2, 2, 3]", u: "f32[2, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (2, 1, 3, 1), True)
    y1 = torch.nn.functional.affine_grid(u, (2, 1, 2, 3, 1), True)
    return (y0, y1,)

def case17(t: "f64[1, 2, 3]", u: "f64[1, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (1, 1, 1, 2), False)
    y1 = torch.nn.functional.affine_grid(u, (1, 1, 2, 1, 2), False)
    return (y0, y1,)

def case18(t: "f32[2, 2, 3]", u: "f32[2, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (2, 1, 3, 1), False)
    y1 = torch.nn.functional.affine_grid(u, (2, 1, 2, 3, 1), False)
    return (y0, y1,)

def case19(t: "f64[1, 2, 3]", u: "f64[1, 3, 4]"):
    y0 = torch.nn.functional.affine_grid(t, (1, 1, 2, 3), False)
    y1 = torch.nn.functional.affine_grid(u, (1, 1, 2, 2, 3), False)
    return (y0, y1,)
