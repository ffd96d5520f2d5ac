import torch
from math import inf

def case0(w: "f32[3, 5]", i: "i64[5]", o: "i64[2]", s: "f32[5]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='max')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 2)[0]
    return (y0, y1, y2,)

def case1(w: "f64[2, 1]", i: "i64[6]", o: "i64[2]", s: "f64[6]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='max')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 1)[0]
    return (y0, y1, y2,)

def case2(w: "f32[6, 2]", i: "i64[5]", o: "i64[2]", s: "f32[5]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='sum')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 0)[0]
    return (y0, y1, y2,)

def case3(w: "f64[5, 5]", i: "i64[5]", o: "i64[2]", s: "f64[5]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='max')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 0)[0]
    return (y0, y1, y2,)

def case4(w: "f32[6, 1]", i: "i64[7]", o: "i64[2]", s: "f32[7]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='mean')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 0)[0]
    return (y0, y1, y2,)

def case5(w: "f64[6, 4]", i: "i64[7]", o: "i64[2]", s: "f64[7]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='sum')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 1)[0]
    return (y0, y1, y2,)

def case6(w: "f32[5, 3]", i: "i64[3]", o: "i64[2]", s: "f32[3]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='mean')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 0)[0]
    return (y0, y1, y2,)

def case7(w: "f64[2, 4]", i: "i64[7]", o: "i64[2]", s: "f64[7]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='sum')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 1)[0]
    return (y0, y1, y2,)

def case8(w: "f32[5, 2]", i: "i64[2]", o: "i64[2]", s: "f32[2]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='mean')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 2)[0]
    return (y0, y1, y2,)

def case9(w: "f64[6, 3]", i: "i64[2]", o: "i64[2]", s: "f64[2]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='sum')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 0)[0]
    return (y0, y1, y2,)

def case10(w: "f32[4, 5]", i: "i64[4]", o: "i64[2]", s: "f32[4]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='sum')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 2)[0]
    return (y0, y1, y2,)

def case11(w: "f64[3, 4]", i: "i64[2]", o: "i64[2]", s: "f64[2]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='max')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 2)[0]
    return (y0, y1, y2,)

def case12(w: "f32[4, 2]", i: "i64[2]", o: "i64[2]", s: "f32[2]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='max')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 1)[0]
    return (y0, y1, y2,)

def case13(w: "f64[3, 1]", i: "i64[7]", o: "i64[2]", s: "f64[7]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='mean')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 0)[0]
    return (y0, y1, y2,)

def case14(w: "f32[2, 3]", i: "i64[3]", o: "i64[2]", s: "f32[3]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='mean')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 0)[0]
    return (y0, y1, y2,)

def case15(w: "f64[4, 3]", i: "i64[7]", o: "i64[2]", s: "f64[7]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='mean')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 0)[0]
    return (y0, y1, y2,)

def case16(w: "f32[3, 3]", i: "i64[3]", o: "i64[2]", s: "f32[3]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='max')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 0)[0]
    return (y0, y1, y2,)

def case17(w: "f64[4, 4]", i: "i64[5]", o: "i64[2]", s: "f64[5]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='sum')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 1)[0]
    return (y0, y1, y2,)

def case18(w: "f32[4, 1]", i: "i64[3]", o: "i64[2]", s: "f32[3]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='mean')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 1)[0]
    return (y0, y1, y2,)

def case19(w: "f64[6, 5]", i: "i64[4]", o: "i64[2]", s: "f64[4]"):
    y0 = torch.nn.functional.embedding_bag(i, w, o, mode='max')
    y1 = torch.nn.functional.embedding_bag(i, w, o, mode='sum', per_sample_weights=s)
    y2 = torch.ops.aten._embedding_bag(w, i, o, False, 2)[0]
    return (y0, y1, y2,)
