The boundary between the two parts goes; how many targets count is known before the loss.

-- program
def forward(self, x: "f32[32, 256]", t: "i64[32]"):
    loss = torch.nn.functional.cross_entropy(x, t)
    return (loss,)

-- passes joint joint.fold joint.cse joint.dce split remat claim join

-- rules join
forward | backward -> one: loss (the cotangents are known before the run: kernels may compute for both)
small -> first: t22 (made of small inputs alone: what reads it can be computed with the forward part)
small -> first: t29 (made of small inputs alone: what reads it can be computed with the forward part)
small -> first: t30 (made of small inputs alone: what reads it can be computed with the forward part)
small -> first: t31 (made of small inputs alone: what reads it can be computed with the forward part)
small -> first: t37 (made of small inputs alone: what reads it can be computed with the forward part)
small -> first: t39 (made of small inputs alone: what reads it can be computed with the forward part)
small -> first: t40 (made of small inputs alone: what reads it can be computed with the forward part)
small -> first: t41 (made of small inputs alone: what reads it can be computed with the forward part)
small -> first: t42 (made of small inputs alone: what reads it can be computed with the forward part)
small -> first: t43 (made of small inputs alone: what reads it can be computed with the forward part)

-- after join
def forward(x, t, cot_0):
  # x: "cpu f32[32, 256]"
  # t: "cpu i64[32]"
  # cot_0: "cpu f32[]"
  t22 = prims.ne(t, -100)  # t22: "cpu b8[32]" @interp
  t29 = prims.convert_element_type(t22, dtypes.int64)  # t29: "cpu i64[32]" @interp
  t30 = prims.sum(t29, (0,))  # t30: "cpu i64[]" @interp
  t31 = prims.convert_element_type(t30, dtypes.float32)  # t31: "cpu f32[]" @interp
  t37 = prims.ne(t, -100)  # t37: "cpu b8[32]" @interp
  t39 = prims.div(cot_0, t31)  # t39: "cpu f32[]" @interp
  t40 = prims.neg(t39)  # t40: "cpu f32[]" @interp
  t41 = prims.broadcast_in_dim(t40, (32,), ())  # t41: "cpu f32[32]" @interp
  t42 = prims.where(t37, t41, 0.0)  # t42: "cpu f32[32]" @interp
  t43 = prims.broadcast_in_dim(t42, (32, 1), (0,))  # t43: "cpu f32[32, 1]" @interp
  t0 = prims.amax(x, (1,))  # t0: "cpu f32[32]" @interp
  t1 = prims.broadcast_in_dim(t0, (32, 1), (0,))  # t1: "cpu f32[32, 1]" @interp
  t2 = prims.broadcast_in_dim(t1, (32, 256), (0, 1))  # t2: "cpu f32[32, 256]" @interp
  t3 = prims.sub(x, t2)  # t3: "cpu f32[32, 256]" @interp
  t4 = prims.exp(t3)  # t4: "cpu f32[32, 256]" @interp
  t5 = prims.sum(t4, (1,))  # t5: "cpu f32[32]" @interp
  t6 = prims.broadcast_in_dim(t5, (32, 1), (0,))  # t6: "cpu f32[32, 1]" @interp
  t7 = prims.log(t6)  # t7: "cpu f32[32, 1]" @interp
  t8 = prims.broadcast_in_dim(t7, (32, 256), (0, 1))  # t8: "cpu f32[32, 256]" @interp
  t9 = prims.sub(t3, t8)  # t9: "cpu f32[32, 256]" @interp
  t23 = prims.where(t22, t, 0)  # t23: "cpu i64[32]" @interp
  t24 = prims.broadcast_in_dim(t23, (32, 1), (0,))  # t24: "cpu i64[32, 1]" @interp
  t25 = prims.gather(t9, t24, 1)  # t25: "cpu f32[32, 1]" @interp
  t26 = prims.squeeze(t25, (1,))  # t26: "cpu f32[32]" @interp
  t27 = prims.neg(t26)  # t27: "cpu f32[32]" @interp
  t28 = prims.where(t22, t27, 0.0)  # t28: "cpu f32[32]" @interp
  t32 = prims.sum(t28, (0,))  # t32: "cpu f32[]" @interp
  t33 = prims.convert_element_type(t22, dtypes.int64)  # t33: "cpu i64[32]" @interp
  t34 = prims.sum(t33, (0,))  # t34: "cpu i64[]" @interp
  t35 = prims.convert_element_type(t34, dtypes.float32)  # t35: "cpu f32[]" @interp
  loss = prims.div(t32, t35)  # loss: "cpu f32[]" @interp
  t58 = prims.amax(x, (1,))  # t58: "cpu f32[32]" @interp
  t59 = prims.broadcast_in_dim(t58, (32, 1), (0,))  # t59: "cpu f32[32, 1]" @interp
  t60 = prims.broadcast_in_dim(t59, (32, 256), (0, 1))  # t60: "cpu f32[32, 256]" @interp
  t61 = prims.sub(x, t60)  # t61: "cpu f32[32, 256]" @interp
  t62 = prims.exp(t61)  # t62: "cpu f32[32, 256]" @interp
  t63 = prims.sum(t62, (1,))  # t63: "cpu f32[32]" @interp
  t64 = prims.broadcast_in_dim(t63, (32, 1), (0,))  # t64: "cpu f32[32, 1]" @interp
  t65 = prims.log(t64)  # t65: "cpu f32[32, 1]" @interp
  t66 = prims.broadcast_in_dim(t65, (32, 256), (0, 1))  # t66: "cpu f32[32, 256]" @interp
  bw_t9 = prims.sub(t61, t66)  # bw_t9: "cpu f32[32, 256]" @interp
  t38 = prims.where(t37, t, 0)  # t38: "cpu i64[32]" @interp
  t44 = prims.iota(256, start=0, step=1, device=devices.Device("cpu"), dtype=dtypes.int64)  # t44: "cpu i64[256]" @interp
  t45 = prims.reshape(t44, (1, 256))  # t45: "cpu i64[1, 256]" @interp
  t46 = prims.broadcast_in_dim(t38, (32, 1), (0,))  # t46: "cpu i64[32, 1]" @interp
  t47 = prims.broadcast_in_dim(t46, (32, 256), (0, 1))  # t47: "cpu i64[32, 256]" @interp
  t48 = prims.broadcast_in_dim(t45, (32, 256), (0, 1))  # t48: "cpu i64[32, 256]" @interp
  t49 = prims.eq(t47, t48)  # t49: "cpu b8[32, 256]" @interp
  t50 = prims.broadcast_in_dim(t43, (32, 256), (0, 1))  # t50: "cpu f32[32, 256]" @interp
  t51 = prims.where(t49, t50, 0.0)  # t51: "cpu f32[32, 256]" @interp
  t52 = prims.sum(t51, (1,))  # t52: "cpu f32[32]" @interp
  t53 = prims.broadcast_in_dim(t52, (32, 1), (0,))  # t53: "cpu f32[32, 1]" @interp
  t54 = prims.exp(bw_t9)  # t54: "cpu f32[32, 256]" @interp
  t55 = prims.broadcast_in_dim(t53, (32, 256), (0, 1))  # t55: "cpu f32[32, 256]" @interp
  t56 = prims.mul(t54, t55)  # t56: "cpu f32[32, 256]" @interp
  grad_x = prims.sub(t51, t56)  # grad_x: "cpu f32[32, 256]" @interp
  return ((loss,), (grad_x,))
