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

def case233(x: "f32[3, 4]"):
    r = x.repeat(1, 1)
    r.add_(1)
    out = x
    return (out,)

def case234(x: "f32[3, 4]"):
    r = x.tile(1)
    r.add_(1)
    out = x
    return (out,)

def case235(x: "f32[3, 4]"):
    r = x.repeat_interleave(1, 0)
    r.add_(1)
    out = x
    return (out,)

def case236(x: "f32[3, 4]"):
    r = x.flip(())
    r.add_(1)
    out = x
    return (out,)

def case237(x: "f32[3, 4]"):
    r = x.roll(0, 0)
    r.add_(1)
    out = x
    return (out,)

def case238(x: "f32[3, 4]"):
    r = x.rot90(0)
    r.add_(1)
    out = x
    return (out,)

def case239(x: "f32[3, 4]"):
    r = x.rot90(4)
    r.add_(1)
    out = x
    return (out,)

def case240(x: "f32[3, 4]"):
    r = x.pow(1)
    r.add_(1)
    out = x
    return (out,)

def case241(x: "f32[3, 4]"):
    r = x.clamp(-99)
    r.add_(1)
    out = x
    return (out,)

def case242(x: "f32[3, 4]"):
    r = x.sum(())
    r.add_(1)
    out = x
    return (out,)

def case243(x: "f32[3, 4]"):
    r = x.tril(9)
    r.add_(1)
    out = x
    return (out,)

def case244(x: "f32[3, 4]"):
    r = x.triu(-9)
    r.add_(1)
    out = x
    return (out,)

def case245(x: "f32[3, 4]"):
    r = x.diag()
    r.add_(1)
    out = x
    return (out,)

def case246(x: "f32[3, 4]"):
    r = x.diagonal()
    r.add_(1)
    out = x
    return (out,)

def case247(x: "f32[3, 4]"):
    r = x.sum_to_size(3, 4)
    r.add_(1)
    out = x
    return (out,)

def case248(x: "f32[3, 4]"):
    r = x.expand(3, 4)
    r.add_(1)
    out = x
    return (out,)

def case249(x: "f32[3, 4]"):
    r = x.broadcast_to((3, 4))
    r.add_(1)
    out = x
    return (out,)

def case250(x: "f32[3, 4]"):
    r = x.expand_as(x)
    r.add_(1)
    out = x
    return (out,)

def case251(x: "f32[3, 4]"):
    r = x.positive()
    r.add_(1)
    out = x
    return (out,)

def case252(x: "f32[3, 4]"):
    r = x.conj()
    r.add_(1)
    out = x
    return (out,)

def case253(x: "f32[3, 4]"):
    r = x.to(torch.float32)
    r.add_(1)
    out = x
    return (out,)

def case254(x: "f32[3, 4]"):
    r = x.to(torch.float32, copy=True)
    r.add_(1)
    out = x
    return (out,)

def case255(x: "f32[3, 4]"):
    r = x.float()
    r.add_(1)
    out = x
    return (out,)

def case256(x: "f32[3, 4]"):
    r = x.type(torch.float32)
    r.add_(1)
    out = x
    return (out,)

def case257(x: "f32[3, 4]"):
    r = x.type_as(x)
    r.add_(1)
    out = x
    return (out,)

def case258(x: "f32[3, 4]"):
    r = x.contiguous()
    r.add_(1)
    out = x
    return (out,)

def case259(x: "f32[3, 4]"):
    r = x.t().contiguous()
    r.add_(1)
    out = x
    return (out,)

def case260(x: "f32[3, 4]"):
    r = x.reshape(12)
    r.add_(1)
    out = x
    return (out,)

def case261(x: "f32[3, 4]"):
    r = x.t().reshape(12)
    r.add_(1)
    out = x
    return (out,)

def case262(x: "f32[3, 4]"):
    r = x.flatten()
    r.add_(1)
    out = x
    return (out,)

def case263(x: "f32[3, 4]"):
    r = x.ravel()
    r.add_(1)
    out = x
    return (out,)

def case264(x: "f32[3, 4]"):
    r = x.squeeze()
    r.add_(1)
    out = x
    return (out,)

def case265(x: "f32[3, 4]"):
    r = x.movedim(0, 0)
    r.add_(1)
    out = x
    return (out,)

def case266(x: "f32[3, 4]"):
    r = x.narrow(0, 0, 3)
    r.add_(1)
    out = x
    return (out,)

def case267(x: "f32[3, 4]"):
    r = x.view_as(x)
    r.add_(1)
    out = x
    return (out,)

def case268(x: "f32[3, 4]"):
    r = x.clone()
    r.add_(1)
    out = x
    return (out,)

def case269(x: "f32[3, 4]"):
    r = x.index_select(0, torch.arange(3))
    r.add_(1)
    out = x
    return (out,)

def case270(x: "f32[3, 4]"):
    r = x.as_strided((3, 4), (4, 1))
    r.add_(1)
    out = x
    return (out,)

def case271(x: "f32[3, 4]"):
    r = x.unfold(1, 4, 1)
    r.add_(1)
    out = x
    return (out,)

def case272(x: "f32[3, 4]"):
    r = x.unflatten(1, (2, 2))
    r.add_(1)
    out = x
    return (out,)

def case273(x: "f32[3, 4]"):
    r = x.sort(0)[0]
    r.add_(1)
    out = x
    return (out,)

def case274(x: "f32[3, 4]"):
    r = torch.cat((x,))
    r.add_(1)
    out = x
    return (out,)

def case275(x: "f32[3, 4]"):
    r = torch.stack((x,))
    r.add_(1)
    out = x
    return (out,)

def case276(x: "f32[3, 4]"):
    r = torch.hstack((x,))
    r.add_(1)
    out = x
    return (out,)

def case277(x: "f32[3, 4]"):
    r = torch.vstack((x,))
    r.add_(1)
    out = x
    return (out,)

def case278(x: "f32[3, 4]"):
    r = torch.dstack((x,))
    r.add_(1)
    out = x
    return (out,)

def case279(x: "f32[3, 4]"):
    r = torch.column_stack((x,))
    r.add_(1)
    out = x
    return (out,)

def case280(x: "f32[3, 4]"):
    r = torch.block_diag(x)
    r.add_(1)
    out = x
    return (out,)

def case281(x: "f32[3, 4]"):
    r = torch.einsum('ij->ij', x)
    r.add_(1)
    out = x
    return (out,)

def case282(x: "f32[3, 4]"):
    r = torch.einsum('ij->ji', x)
    r.add_(1)
    out = x
    return (out,)

def case283(x: "f32[3, 4]"):
    r = torch.real(x)
    r.add_(1)
    out = x
    return (out,)

def case284(x: "f32[3, 4]"):
    r = torch.nan_to_num(x)
    r.add_(1)
    out = x
    return (out,)

def case285(x: "f32[3, 4]"):
    r = torch.round(x)
    r.add_(1)
    out = x
    return (out,)

def case286(x: "f32[3, 4]"):
    r = torch.linalg.matrix_power(x[:, :3], 1)
    r.add_(1)
    out = x
    return (out,)

def case287(x: "f32[3, 4]"):
    r = torch.cartesian_prod(x[0])
    r.add_(1)
    out = x
    return (out,)

def case288(x: "f32[3, 4]"):
    r = torch.kron(torch.ones(1, 1), x)
    r.add_(1)
    out = x
    return (out,)

def case289(x: "f32[3, 4]"):
    r = torch.atleast_3d(x)
    r.add_(1)
    out = x
    return (out,)

def case290(x: "f32[3, 4]"):
    r = torch.cumsum(x[:1], 0)
    r.add_(1)
    out = x
    return (out,)

def case291(x: "f32[3, 4]"):
    r = torch.dropout(x, 0.5, False)
    r.add_(1)
    out = x
    return (out,)

def case292(x: "f32[3, 4]"):
    r = torch.nn.functional.pad(x, (0, 0))
    r.add_(1)
    out = x
    return (out,)

def case293(x: "f32[3, 4]"):
    r = torch.nn.functional.relu(x)
    r.add_(1)
    out = x
    return (out,)

def case294(x: "f32[3, 4]"):
    r = torch.nn.functional.dropout(x, 0.0)
    r.add_(1)
    out = x
    return (out,)

def case295(x: "f32[3, 4]"):
    r = torch.nn.functional.alpha_dropout(x, 0.0)
    r.add_(1)
    out = x
    return (out,)

def case296(x: "f32[3, 4]"):
    r = torch.nn.functional.pixel_shuffle(x[None, None], 1)
    r.add_(1)
    out = x
    return (out,)

def case297(x: "f32[3, 4]"):
    r = torch.nn.functional.pixel_unshuffle(x[None, None], 1)
    r.add_(1)
    out = x
    return (out,)

def case298(x: "f32[3, 4]"):
    r = torch.nn.functional.channel_shuffle(x[None], 1)
    r.add_(1)
    out = x
    return (out,)

def case299(x: "f32[3, 4]"):
    r = torch.nn.functional.interpolate(x[None, None], size=(3, 4))
    r.add_(1)
    out = x
    return (out,)

def case300(x: "f32[3, 4]"):
    r = torch.ops.aten.permute_copy.default(x, [1, 0])
    r.add_(1)
    out = x
    return (out,)

def case301(x: "f32[3, 4]"):
    r = torch.ops.aten.view_copy.default(x, [12])
    r.add_(1)
    out = x
    return (out,)

def case302(x: "f32[3, 4]"):
    r = torch.ops.aten.expand_copy.default(x, [3, 4])
    r.add_(1)
    out = x
    return (out,)

def case303(x: "f32[3, 4]"):
    r = torch.ops.aten.t_copy.default(x)
    r.add_(1)
    out = x
    return (out,)

def case304(x: "f32[3, 4]"):
    r = torch.ops.aten.alias_copy.default(x)
    r.add_(1)
    out = x
    return (out,)

def case305(x: "f32[3, 4]"):
    r = torch.ops.aten.slice_copy.Tensor(x, 0, 0, 3)
    r.add_(1)
    out = x
    return (out,)

def case306(x: "f32[3, 4]"):
    r = torch.ops.aten.unbind_copy.int(x)[0]
    r.add_(1)
    out = x
    return (out,)

def case307(x: "f32[3, 4]"):
    r = torch.ops.aten.detach_copy.default(x)
    r.add_(1)
    out = x
    return (out,)

def case308(x: "f32[3, 4]"):
    r = torch.ops.aten._to_copy.default(x)
    r.add_(1)
    out = x
    return (out,)

def case309(x: "f32[3, 4]"):
    r = torch.ops.aten.alias.default(x)
    r.add_(1)
    out = x
    return (out,)

def case310(x: "f32[3, 4]"):
    r = torch.ops.aten._unsafe_view.default(x, [12])
    r.add_(1)
    out = x
    return (out,)

def case311(x: "f32[]"):
    r = x.sum()
    r.add_(1)
    out = x
    return (out,)

def case312(x: "f32[]"):
    r = x.mean()
    r.add_(1)
    out = x
    return (out,)

def case313(x: "f32[]"):
    r = x.amax(())
    r.add_(1)
    out = x
    return (out,)

def case314(x: "f32[]"):
    r = x.max()
    r.add_(1)
    out = x
    return (out,)

def case315(x: "f32[]"):
    r = x.cumsum(0)
    r.add_(1)
    out = x
    return (out,)

def case316(x: "f32[]"):
    r = x.cumprod(0)
    r.add_(1)
    out = x
    return (out,)

def case317(x: "f32[]"):
    r = x.prod()
    r.add_(1)
    out = x
    return (out,)

def case318(x: "f32[]"):
    r = x.logsumexp(0)
    r.add_(1)
    out = x
    return (out,)

def case319(x: "f32[]"):
    r = x.median()
    r.add_(1)
    out = x
    return (out,)

def case320(x: "f32[]"):
    r = x.sort()[0]
    r.add_(1)
    out = x
    return (out,)

def case321(x: "f32[]"):
    r = x.softmax(0)
    r.add_(1)
    out = x
    return (out,)

def case322(x: "f32[]"):
    r = x.topk(1)[0]
    r.add_(1)
    out = x
    return (out,)

def case323(x: "f32[]"):
    r = x.flip(0)
    r.add_(1)
    out = x
    return (out,)

def case324(x: "f32[]"):
    r = x.roll(1)
    r.add_(1)
    out = x
    return (out,)

def case325(x: "f32[]"):
    r = x.repeat(())
    r.add_(1)
    out = x
    return (out,)

def case326(x: "f32[]"):
    r = x.expand(())
    r.add_(1)
    out = x
    return (out,)

def case327(x: "f32[]"):
    r = x.cummax(0)[0]
    r.add_(1)
    out = x
    return (out,)

def case328(x: "f32[]"):
    r = x.norm()
    r.add_(1)
    out = x
    return (out,)

def case329(x: "f32[]"):
    r = x.nansum()
    r.add_(1)
    out = x
    return (out,)

def case330(x: "i64[3, 4]"):
    r = x.floor()
    r.add_(1)
    out = x
    return (out,)

def case331(x: "i64[3, 4]"):
    r = x.ceil()
    r.add_(1)
    out = x
    return (out,)

def case332(x: "i64[3, 4]"):
    r = x.round()
    r.add_(1)
    out = x
    return (out,)

def case333(x: "i64[3, 4]"):
    r = x.trunc()
    r.add_(1)
    out = x
    return (out,)

def case334(x: "i64[3, 4]"):
    r = x.nan_to_num()
    r.add_(1)
    out = x
    return (out,)

def case335(x: "i64[3, 4]"):
    r = x.abs()
    r.add_(1)
    out = x
    return (out,)

def case336(x: "i64[3, 4]"):
    r = x.long()
    r.add_(1)
    out = x
    return (out,)

def case337(x: "i64[3, 4]"):
    r = x.sgn()
    r.add_(1)
    out = x
    return (out,)

def case338(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.put(x, i, s)
    return (out,)

def case339(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.put(x, i, s, True)
    return (out,)

def case341(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.put(x, i, s)
    return (out,)

def case342(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.put(x, i, s, True)
    return (out,)

def case344(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.put(x, i, s)
    return (out,)

def case345(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.put(x, i, s, True)
    return (out,)

def case350(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.put(x, i, s)
    return (out,)

def case351(x: "f32[3, 4]", i: "i64[2]", s: "f32[2]"):
    out = torch.put(x, i, s, True)
    return (out,)

def case358(x: "f32[3, 4]", i: "i64[2]", s: "f32[1, 2]"):
    out = torch.put(x, i, s)
    return (out,)

def case365(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'prod')
    return (out,)

def case366(x: "bf16[3, 4]", i: "i64[2]", s: "bf16[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'prod')
    return (out,)

def case367(x: "i32[3, 4]", i: "i64[2]", s: "i32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'prod')
    return (out,)

def case368(x: "u8[3, 4]", i: "i64[2]", s: "u8[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'prod')
    return (out,)

def case369(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'mean')
    return (out,)

def case370(x: "bf16[3, 4]", i: "i64[2]", s: "bf16[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'mean')
    return (out,)

def case371(x: "i32[3, 4]", i: "i64[2]", s: "i32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'mean')
    return (out,)

def case372(x: "u8[3, 4]", i: "i64[2]", s: "u8[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'mean')
    return (out,)

def case373(x: "f32[3, 4]", i: "i64[2]", s: "f32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'amin')
    return (out,)

def case374(x: "bf16[3, 4]", i: "i64[2]", s: "bf16[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'amin')
    return (out,)

def case375(x: "i32[3, 4]", i: "i64[2]", s: "i32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'amin')
    return (out,)

def case376(x: "u8[3, 4]", i: "i64[2]", s: "u8[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'amin')
    return (out,)

def case383(x: "f32[3, 4]", i: "i32[2]", s: "f32[2, 4]"):
    out = torch.index_reduce(x, 0, i, s, 'prod')
    return (out,)

def case384(x: "f32[3, 4]"):
    out = torch.quantile(x.detach(), 0.5, 1)
    return (out,)

def case385(x: "f32[2, 4]"):
    out = torch.quantile(x, 0.5, 1)
    return (out,)

def case386(x: "f32[3, 4]"):
    out = torch.nanquantile(x.detach(), 0.5, 1)
    return (out,)

def case387(x: "f32[2, 4]"):
    out = torch.nanquantile(x, 0.5, 1)
    return (out,)

def case388(x: "f32[3, 4]"):
    out = torch.nanquantile(x.detach(), 0.5)
    return (out,)

def case389(x: "f32[2, 4]"):
    out = torch.nanquantile(x, 0.5)
    return (out,)

def case390(x: "f32[3, 4]"):
    out = torch.nanmedian(x.detach(), 1)[0]
    return (out,)

def case391(x: "f32[2, 4]"):
    out = torch.nanmedian(x, 1)[0]
    return (out,)

def case392(x: "f32[3, 4]"):
    out = torch.msort(x)
    return (out,)

def case393(x: "f32[2, 4]"):
    out = torch.msort(x)
    return (out,)

def case394(x: "f32[3, 4]"):
    out = torch.nanmedian(x)
    return (out,)

def case395(x: "f32[2, 4]"):
    out = torch.nanmedian(x)
    return (out,)

def case396(x: "f32[3, 4]"):
    out = torch.nanquantile(x.detach(), 0.5, 1, interpolation='nearest')
    return (out,)

def case397(x: "f32[2, 4]"):
    out = torch.nanquantile(x, 0.5, 1, interpolation='nearest')
    return (out,)

def case414(x: "f32[3, 4]", q: "f32[2]"):
    out = torch.quantile(x, q)
    return (out,)

def case416(x: "bf16[3, 4]"):
    out = torch.nanmedian(x)
    return (out,)

def case417(x: "bf16[3, 4]"):
    out = torch.nanmedian(x, 0)[0]
    return (out,)

def case418(x: "bf16[3, 4]"):
    out = torch.median(x, 0)[0]
    return (out,)

def case419(x: "bf16[3, 4]"):
    out = torch.corrcoef(x.detach())
    return (out,)

def case422(x: "bf16[3, 4]"):
    out = torch.msort(x)
    return (out,)

def case423(x: "bf16[3, 4]"):
    out = torch.isreal(x)
    return (out,)

def case424(x: "bf16[3, 4]"):
    out = torch.special.i1(x)
    return (out,)

def case428(x: "i64[3, 4]"):
    out = torch.nanmedian(x)
    return (out,)

def case429(x: "i64[3, 4]"):
    out = torch.nanmedian(x, 0)[0]
    return (out,)

def case430(x: "i64[3, 4]"):
    out = torch.median(x, 0)[0]
    return (out,)

def case431(x: "i64[3, 4]"):
    out = torch.corrcoef(x.detach())
    return (out,)

def case432(x: "i64[3, 4]"):
    out = torch.linalg.vander(x, N=3)
    return (out,)

def case434(x: "i64[3, 4]"):
    out = torch.msort(x)
    return (out,)

def case435(x: "i64[3, 4]"):
    out = torch.isreal(x)
    return (out,)

def case436(x: "i64[3, 4]"):
    out = torch.special.i1(x)
    return (out,)

def case437(x: "i64[3, 4]"):
    out = torch.special.erfcx(x)
    return (out,)

def case438(x: "i64[3, 4]"):
    out = torch.special.log_ndtr(x)
    return (out,)

def case440(x: "f32[0, 4]"):
    out = torch.nanmedian(x)
    return (out,)

def case443(x: "f32[0, 4]"):
    out = torch.corrcoef(x.detach())
    return (out,)

def case444(x: "f32[0, 4]"):
    out = torch.linalg.vander(x, N=3)
    return (out,)

def case446(x: "f32[0, 4]"):
    out = torch.msort(x)
    return (out,)

def case447(x: "f32[0, 4]"):
    out = torch.isreal(x)
    return (out,)

def case448(x: "f32[0, 4]"):
    out = torch.special.i1(x)
    return (out,)

def case449(x: "f32[0, 4]"):
    out = torch.special.erfcx(x)
    return (out,)

def case450(x: "f32[0, 4]"):
    out = torch.special.log_ndtr(x)
    return (out,)

def case457(x: "b8[2]"):
    out = torch.vander(x.detach())
    return (out,)

def case458(x: "b8[2]"):
    out = torch.msort(x)
    return (out,)

def case459(x: "b8[2]"):
    out = torch.isreal(x)
    return (out,)

def case460(x: "b8[2]"):
    out = torch.special.i1(x)
    return (out,)

def case461(x: "b8[2]"):
    out = torch.special.erfcx(x)
    return (out,)

def case462(x: "b8[2]"):
    out = torch.special.log_ndtr(x)
    return (out,)

def case463(x: "f32[]"):
    out = torch.quantile(x, 0.5, 0)
    return (out,)

def case464(x: "f32[]"):
    out = torch.nanmedian(x)
    return (out,)

def case465(x: "f32[]"):
    out = torch.nanmedian(x, 0)[0]
    return (out,)

def case466(x: "f32[]"):
    out = torch.median(x, 0)[0]
    return (out,)

def case467(x: "f32[]"):
    out = torch.corrcoef(x.detach())
    return (out,)

def case468(x: "f32[]"):
    out = torch.linalg.vander(x, N=3)
    return (out,)

def case470(x: "f32[]"):
    out = torch.msort(x)
    return (out,)

def case471(x: "f32[]"):
    out = torch.isreal(x)
    return (out,)

def case472(x: "f32[]"):
    out = torch.special.i1(x)
    return (out,)

def case473(x: "f32[]"):
    out = torch.special.erfcx(x)
    return (out,)

def case474(x: "f32[]"):
    out = torch.special.log_ndtr(x)
    return (out,)

def case476(x: "f32[2, 0]"):
    out = torch.nanmedian(x)
    return (out,)

def case477(x: "f32[2, 0]"):
    out = torch.nanmedian(x, 0)[0]
    return (out,)

def case478(x: "f32[2, 0]"):
    out = torch.median(x, 0)[0]
    return (out,)

def case479(x: "f32[2, 0]"):
    out = torch.corrcoef(x.detach())
    return (out,)

def case480(x: "f32[2, 0]"):
    out = torch.linalg.vander(x, N=3)
    return (out,)

def case482(x: "f32[2, 0]"):
    out = torch.msort(x)
    return (out,)

def case483(x: "f32[2, 0]"):
    out = torch.isreal(x)
    return (out,)

def case484(x: "f32[2, 0]"):
    out = torch.special.i1(x)
    return (out,)

def case485(x: "f32[2, 0]"):
    out = torch.special.erfcx(x)
    return (out,)

def case486(x: "f32[2, 0]"):
    out = torch.special.log_ndtr(x)
    return (out,)

def case488(x: "f32[4]"):
    out = torch.vander(x.detach(), 0)
    return (out,)

def case489(x: "f32[4]"):
    out = torch.vander(x.detach(), 1)
    return (out,)

def case492(x: "f32[2, 3]"):
    out = torch.corrcoef(x)
    return (out,)

def case493(x: "f32[16]"):
    out = torch.special.i0(x)
    return (out,)

def case494(x: "f64[16]"):
    out = torch.special.i0(x)
    return (out,)

def case495(x: "f32[16]"):
    out = torch.special.i0e(x)
    return (out,)

def case496(x: "f64[16]"):
    out = torch.special.i0e(x)
    return (out,)

def case497(x: "f32[16]"):
    out = torch.special.i1(x)
    return (out,)

def case498(x: "f64[16]"):
    out = torch.special.i1(x)
    return (out,)

def case499(x: "f32[16]"):
    out = torch.special.i1e(x)
    return (out,)

def case500(x: "f64[16]"):
    out = torch.special.i1e(x)
    return (out,)

def case501(x: "f32[16]"):
    out = torch.special.erfcx(x)
    return (out,)

def case502(x: "f64[16]"):
    out = torch.special.erfcx(x)
    return (out,)

def case503(x: "f32[16]"):
    out = torch.special.log_ndtr(x.detach())
    return (out,)

def case504(x: "f64[16]"):
    out = torch.special.log_ndtr(x.detach())
    return (out,)

def case505(x: "f32[3, 4]"):
    out = torch.cdist(x[:, :0], x[:, :0], inf)
    return (out,)

def case506(x: "f32[11]"):
    out = torch.special.log_ndtr(x)
    return (out,)

def case507(x: "f64[11]"):
    out = torch.special.log_ndtr(x)
    return (out,)

def case508(x: "bf16[3]"):
    out = torch.special.i0e(x)
    return (out,)

def case509(x: "bf16[3]"):
    out = torch.special.i1(x)
    return (out,)

def case510(x: "bf16[3]"):
    out = torch.special.i1e(x)
    return (out,)
