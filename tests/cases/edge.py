import torch
from math import inf, nan

def case3(x: "f32[3, 4]", i: "i64[1, 4]"):
    out = torch.take_along_dim(x, i, 0)
    return (out,)

def case5(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.take(x, i)
    return (out,)

def case6(x: "f32[3, 4]", i: "i64[2]"):
    out = x[i]
    return (out,)

def case7(x: "f32[3, 4]", i: "i64[]"):
    out = x[i]
    return (out,)

def case8(x: "f32[3, 4]", i: "i64[2]"):
    out = x[:, i]
    return (out,)

def case9(x: "f32[3, 4]", i: "i64[2]"):
    out = x[i, i]
    return (out,)

def case10(x: "f32[3, 4]"):
    out = x[[0, -1]]
    return (out,)

def case11(x: "f32[3, 4]"):
    x[[0, -1]] = 5.0
    out = x
    return (out,)

def case12(x: "f32[3, 4]", i: "i64[2]"):
    x[i] = 5.0
    out = x
    return (out,)

def case20(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.index_fill(x, 0, i, 2.0)
    return (out,)

def case21(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_put(x, (i,), s)
    return (out,)

def case22(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.index_put(x, (i, i), s, True)
    return (out,)

def case27(x: "f32[3, 4]", i: "i64[3, 4]"):
    out = torch.nn.functional.multilabel_margin_loss(x, i)
    return (out,)

def case33(x: "f32[3, 4]", i: "i64[1, 4]"):
    out = torch.take_along_dim(x, i, 0)
    return (out,)

def case35(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.take(x, i)
    return (out,)

def case36(x: "f32[3, 4]", i: "i64[2]"):
    out = x[i]
    return (out,)

def case37(x: "f32[3, 4]", i: "i64[]"):
    out = x[i]
    return (out,)

def case38(x: "f32[3, 4]", i: "i64[2]"):
    out = x[:, i]
    return (out,)

def case39(x: "f32[3, 4]", i: "i64[2]"):
    out = x[i, i]
    return (out,)

def case40(x: "f32[3, 4]"):
    out = x[[0, -3]]
    return (out,)

def case41(x: "f32[3, 4]"):
    x[[0, -3]] = 5.0
    out = x
    return (out,)

def case42(x: "f32[3, 4]", i: "i64[2]"):
    x[i] = 5.0
    out = x
    return (out,)

def case50(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.index_fill(x, 0, i, 2.0)
    return (out,)

def case51(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_put(x, (i,), s)
    return (out,)

def case52(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.index_put(x, (i, i), s, True)
    return (out,)

def case54(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.nn.functional.cross_entropy(x, i, ignore_index=-3)
    return (out,)

def case63(x: "f32[3, 4]", i: "i64[1, 4]"):
    out = torch.take_along_dim(x, i, 0)
    return (out,)

def case65(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.take(x, i)
    return (out,)

def case68(x: "f32[3, 4]", i: "i64[2]"):
    out = x[:, i]
    return (out,)

def case93(x: "f32[3, 4]", i: "i64[1, 4]"):
    out = torch.take_along_dim(x, i, 0)
    return (out,)

def case94(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.take_along_dim(x, i)
    return (out,)

def case95(x: "f32[3, 4]", i: "i64[2]"):
    out = torch.take(x, i)
    return (out,)

def case98(x: "f32[3, 4]", i: "i64[2]"):
    out = x[:, i]
    return (out,)

def case113(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.nn.functional.cross_entropy(x, i)
    return (out,)

def case114(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.nn.functional.cross_entropy(x, i, ignore_index=-3)
    return (out,)

def case116(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.nn.functional.multi_margin_loss(x, i)
    return (out,)

def case117(x: "f32[3, 4]", i: "i64[3, 4]"):
    out = torch.nn.functional.multilabel_margin_loss(x, i)
    return (out,)

def case118(x: "f32[3, 4]", i: "i64[3]"):
    out = torch.repeat_interleave(x, i, 0)
    return (out,)

def case119(x: "f32[3, 4]", i: "i64[1, 3, 4]"):
    out = torch.nn.functional.max_unpool1d(x[None], i, 2)
    return (out,)

def case120(x: "f32[3, 4]"):
    out = x[[True, False, True]]
    return (out,)

def case122(x: "f32[3, 4]", m: "b8[3, 4]", s: "f32[1, 4]"):
    out = torch.ops.aten.masked_scatter.default(x, m, s)
    return (out,)

def case123(x: "f32[16]"):
    out = torch.nn.functional.relu6(x)
    return (out,)

def case124(x: "f32[16]"):
    out = torch.nn.functional.hardtanh(x)
    return (out,)

def case125(x: "f32[16]"):
    out = torch.nn.functional.elu(x)
    return (out,)

def case126(x: "f32[16]"):
    out = torch.nn.functional.celu(x, 0.5)
    return (out,)

def case127(x: "f32[16]"):
    out = torch.nn.functional.selu(x)
    return (out,)

def case128(x: "f32[16]"):
    out = torch.nn.functional.hardshrink(x)
    return (out,)

def case129(x: "f32[16]"):
    out = torch.nn.functional.softshrink(x)
    return (out,)

def case130(x: "f32[16]"):
    out = torch.nn.functional.glu(x)
    return (out,)

def case131(x: "f32[16]"):
    out = torch.clamp(x, -1.0, 3.0)
    return (out,)

def case132(x: "f32[16]"):
    out = torch.clamp(x, min=0)
    return (out,)

def case133(x: "f32[16]"):
    out = torch.clamp(x, max=1.0)
    return (out,)

def case134(x: "f32[16]"):
    out = torch.clamp(x, 3.0, -1.0)
    return (out,)

def case135(x: "f32[16]"):
    out = torch.clamp_min(x, 1.0)
    return (out,)

def case136(x: "f32[16]"):
    out = torch.clamp(x, x, x)
    return (out,)

def case137(x: "f32[16]"):
    out = torch.pow(x, 0.5)
    return (out,)

def case138(x: "f32[16]"):
    out = torch.pow(x, -0.5)
    return (out,)

def case139(x: "f32[16]"):
    out = torch.pow(x, 1.5)
    return (out,)

def case140(x: "f32[16]"):
    out = torch.logit(x)
    return (out,)

def case141(x: "f32[16]"):
    out = torch.sinc(x)
    return (out,)

def case142(x: "f32[16]"):
    out = torch.digamma(x)
    return (out,)

def case143(x: "f32[16]"):
    out = torch.expm1(x)
    return (out,)

def case144(x: "f32[16]", a: "f32[]", b: "f32[]"):
    out = torch.clamp(x, a, b)
    return (out,)

def case145(x: "f32[16]", a: "f32[16]"):
    out = torch.clamp(x, min=a)
    return (out,)

def case146(x: "f32[64]", y: "f32[64]"):
    out = torch.fmax(x, y)
    return (out,)

def case147(x: "f32[64]", y: "f32[64]"):
    out = torch.fmin(x, y)
    return (out,)

def case148(x: "f32[64]", y: "f32[64]"):
    out = torch.atan2(x, y)
    return (out,)

def case149(x: "f32[64]", y: "f32[64]"):
    out = torch.copysign(x, y)
    return (out,)

def case150(x: "f32[64]", y: "f32[64]"):
    out = torch.xlogy(x, y)
    return (out,)

def case151(x: "f32[64]", y: "f32[64]"):
    out = torch.hypot(x, y)
    return (out,)

def case152(x: "f32[64]", y: "f32[64]", w: "f32[64]"):
    out = torch.lerp(x, y, w)
    return (out,)

def case153(x: "f32[64]", y: "f32[64]"):
    out = torch.nn.functional.smooth_l1_loss(x, y, reduction='none')
    return (out,)

def case154(x: "f32[64]", y: "f32[64]"):
    out = torch.nn.functional.huber_loss(x, y, reduction='none')
    return (out,)

def case155(x: "f32[5]", y: "f32[5]"):
    out = torch.nn.functional.binary_cross_entropy(x, y)
    return (out,)

def case156(x: "bf16[16]"):
    out = torch.nn.functional.relu6(x)
    return (out,)

def case157(x: "bf16[16]"):
    out = torch.nn.functional.hardtanh(x)
    return (out,)

def case158(x: "bf16[16]"):
    out = torch.nn.functional.elu(x)
    return (out,)

def case159(x: "bf16[16]"):
    out = torch.nn.functional.celu(x, 0.5)
    return (out,)

def case160(x: "bf16[16]"):
    out = torch.nn.functional.selu(x)
    return (out,)

def case161(x: "bf16[16]"):
    out = torch.nn.functional.hardshrink(x)
    return (out,)

def case162(x: "bf16[16]"):
    out = torch.nn.functional.softshrink(x)
    return (out,)

def case163(x: "bf16[16]"):
    out = torch.nn.functional.glu(x)
    return (out,)

def case164(x: "bf16[16]"):
    out = torch.clamp(x, -1.0, 3.0)
    return (out,)

def case165(x: "bf16[16]"):
    out = torch.clamp(x, min=0)
    return (out,)

def case166(x: "bf16[16]"):
    out = torch.clamp(x, max=1.0)
    return (out,)

def case167(x: "bf16[16]"):
    out = torch.clamp(x, 3.0, -1.0)
    return (out,)

def case168(x: "bf16[16]"):
    out = torch.clamp_min(x, 1.0)
    return (out,)

def case169(x: "bf16[16]"):
    out = torch.clamp(x, x, x)
    return (out,)

def case170(x: "bf16[16]"):
    out = torch.pow(x, 0.5)
    return (out,)

def case171(x: "bf16[16]"):
    out = torch.pow(x, -0.5)
    return (out,)

def case172(x: "bf16[16]"):
    out = torch.pow(x, 1.5)
    return (out,)

def case173(x: "bf16[16]"):
    out = torch.logit(x)
    return (out,)

def case174(x: "bf16[16]"):
    out = torch.sinc(x)
    return (out,)

def case175(x: "bf16[16]"):
    out = torch.digamma(x)
    return (out,)

def case176(x: "bf16[16]"):
    out = torch.expm1(x)
    return (out,)

def case177(x: "bf16[16]", a: "bf16[]", b: "bf16[]"):
    out = torch.clamp(x, a, b)
    return (out,)

def case178(x: "bf16[16]", a: "bf16[16]"):
    out = torch.clamp(x, min=a)
    return (out,)

def case179(x: "bf16[64]", y: "bf16[64]"):
    out = torch.fmax(x, y)
    return (out,)

def case180(x: "bf16[64]", y: "bf16[64]"):
    out = torch.fmin(x, y)
    return (out,)

def case181(x: "bf16[64]", y: "bf16[64]"):
    out = torch.atan2(x, y)
    return (out,)

def case182(x: "bf16[64]", y: "bf16[64]"):
    out = torch.copysign(x, y)
    return (out,)

def case183(x: "bf16[64]", y: "bf16[64]"):
    out = torch.xlogy(x, y)
    return (out,)

def case184(x: "bf16[64]", y: "bf16[64]"):
    out = torch.hypot(x, y)
    return (out,)

def case185(x: "bf16[64]", y: "bf16[64]", w: "bf16[64]"):
    out = torch.lerp(x, y, w)
    return (out,)

def case186(x: "bf16[64]", y: "bf16[64]"):
    out = torch.nn.functional.smooth_l1_loss(x, y, reduction='none')
    return (out,)

def case187(x: "bf16[64]", y: "bf16[64]"):
    out = torch.nn.functional.huber_loss(x, y, reduction='none')
    return (out,)

def case188(x: "bf16[5]", y: "bf16[5]"):
    out = torch.nn.functional.binary_cross_entropy(x, y)
    return (out,)

def case189(x: "f32[4, 4]"):
    out = torch.nn.functional.max_pool1d(x[None], 2)
    return (out,)

def case190(x: "f32[4, 4]"):
    out = torch.nn.functional.adaptive_max_pool1d(x[None], 2)
    return (out,)

def case191(x: "f32[4, 4]"):
    out = torch.nn.functional.max_pool2d(x[None], 2, 1)
    return (out,)

def case192(x: "f32[4, 4]"):
    out = torch.nn.functional.max_pool2d(x[None], 3, 2, 1)
    return (out,)

def case193(x: "f32[4, 4]"):
    out = torch.nn.functional.adaptive_max_pool2d(x[None], (2, 3))
    return (out,)

def case194(x: "f32[4, 4]"):
    out = torch.nn.functional.max_pool3d(x[None, None], (1, 2, 2))
    return (out,)

def case195(x: "f32[4, 4]"):
    out = torch.nn.functional.max_pool1d(x[None], 2, 2, 1)
    return (out,)

def case196(x: "f32[4, 4]"):
    out = torch.nn.functional.max_pool2d(x[None], 3, 2, 1)
    return (out,)

def case197(x: "f32[4, 4]"):
    out = torch.nn.functional.max_pool2d(x[None], 2, 1, 1, 2)
    return (out,)

def case198(x: "f32[4, 4]"):
    out = torch.nn.functional.max_pool2d(x[None], 3, 2, 1, ceil_mode=True)
    return (out,)

def case199(x: "f32[4, 4]"):
    out = torch.nn.functional.adaptive_max_pool2d(x[None], (2, 3))
    return (out,)

def case200(x: "f32[4, 4]"):
    out = torch.nn.functional.max_pool3d(x[None, None], 2, 1, 1)
    return (out,)

def case201(x: "f32[4, 4]"):
    out = torch.nn.functional.adaptive_max_pool3d(x[None, None], (1, 2, 3))
    return (out,)

def case202(x: "f32[4, 4]"):
    out = torch.nn.functional.max_pool2d(x[None], 2, return_indices=True)[0]
    return (out,)

def case203(x: "f32[4, 4]"):
    out = torch.nn.functional.max_pool2d(x[None], 3, 2, 1, return_indices=True)[1]
    return (out,)

def case204(x: "f32[2, 4]"):
    out = torch.mode(x, 1)[0]
    return (out,)

def case205(x: "f32[4, 4]"):
    out = torch.median(x)
    return (out,)

def case206(x: "f32[4, 4]"):
    out = torch.amax(x, 1)
    return (out,)

def case207(x: "f32[4, 4]"):
    out = torch.cummax(x, 1)[0]
    return (out,)

def case208(x: "f32[4]"):
    out = torch.median(x)
    return (out,)

def case209(x: "f32[5, 3]"):
    out = torch.linalg.vector_norm(x, inf, dim=1)
    return (out,)

def case210(x: "f32[5, 3]"):
    out = torch.linalg.vector_norm(x, -inf, dim=1)
    return (out,)

def case211(x: "f32[5, 3]"):
    out = torch.linalg.vector_norm(x, 2, dim=1)
    return (out,)

def case212(x: "f32[5, 3]"):
    out = torch.linalg.vector_norm(x, 1, dim=1)
    return (out,)

def case213(x: "f32[5, 3]"):
    out = torch.linalg.vector_norm(x, 0, dim=1)
    return (out,)

def case214(x: "f32[5, 3]"):
    out = torch.linalg.vector_norm(x, 0.5, dim=1)
    return (out,)

def case215(x: "f32[2, 3]", y: "f32[2, 3]"):
    out = torch.nn.functional.cosine_similarity(x, y, dim=1)
    return (out,)

def case216(x: "f32[2, 3]", y: "f32[1, 3]"):
    out = torch.nn.functional.cosine_similarity(x, y, dim=1)
    return (out,)

def case217(x: "f32[2, 3]"):
    out = torch.renorm(x, 2, 0, 1.0)
    return (out,)

def case218(x: "bf16[2, 3]"):
    out = torch.logsumexp(x, 1)
    return (out,)

def case219(x: "f32[0]"):
    out = torch.median(x)
    return (out,)

def case220(x: "f32[3, 0]"):
    out = torch.nn.functional.layer_norm(x, (0,))
    return (out,)

def case222(x: "u8[4]"):
    out = x == -1
    return (out,)

def case223(x: "u8[4]"):
    out = x > -1
    return (out,)

def case224(x: "u8[4]"):
    out = x // -3
    return (out,)

def case225(x: "u8[4]"):
    out = x % -3
    return (out,)

def case226(x: "u8[4]"):
    out = torch.fmod(x, -3)
    return (out,)

def case227(x: "u8[4]"):
    out = torch.div(x, -3, rounding_mode='floor')
    return (out,)
