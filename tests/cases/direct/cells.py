import torch
from math import inf

def case0(x: "f32[2, 1]", h: "f32[2, 2]", c: "f32[2, 2]", w1: "f32[2, 1]", u1: "f32[2, 2]", b1: "f32[2]", e1: "f32[2]", w3: "f32[6, 1]", u3: "f32[6, 2]", b3: "f32[6]", e3: "f32[6]", w4: "f32[8, 1]", u4: "f32[8, 2]", b4: "f32[8]", e4: "f32[8]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case1(x: "f64[3, 4]", h: "f64[3, 2]", c: "f64[3, 2]", w1: "f64[2, 4]", u1: "f64[2, 2]", b1: "f64[2]", e1: "f64[2]", w3: "f64[6, 4]", u3: "f64[6, 2]", b3: "f64[6]", e3: "f64[6]", w4: "f64[8, 4]", u4: "f64[8, 2]", b4: "f64[8]", e4: "f64[8]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case2(x: "f32[1, 3]", h: "f32[1, 4]", c: "f32[1, 4]", w1: "f32[4, 3]", u1: "f32[4, 4]", b1: "f32[4]", e1: "f32[4]", w3: "f32[12, 3]", u3: "f32[12, 4]", b3: "f32[12]", e3: "f32[12]", w4: "f32[16, 3]", u4: "f32[16, 4]", b4: "f32[16]", e4: "f32[16]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case3(x: "f64[2, 4]", h: "f64[2, 3]", c: "f64[2, 3]", w1: "f64[3, 4]", u1: "f64[3, 3]", b1: "f64[3]", e1: "f64[3]", w3: "f64[9, 4]", u3: "f64[9, 3]", b3: "f64[9]", e3: "f64[9]", w4: "f64[12, 4]", u4: "f64[12, 3]", b4: "f64[12]", e4: "f64[12]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case4(x: "f32[2, 2]", h: "f32[2, 3]", c: "f32[2, 3]", w1: "f32[3, 2]", u1: "f32[3, 3]", b1: "f32[3]", e1: "f32[3]", w3: "f32[9, 2]", u3: "f32[9, 3]", b3: "f32[9]", e3: "f32[9]", w4: "f32[12, 2]", u4: "f32[12, 3]", b4: "f32[12]", e4: "f32[12]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case5(x: "f64[1, 3]", h: "f64[1, 3]", c: "f64[1, 3]", w1: "f64[3, 3]", u1: "f64[3, 3]", b1: "f64[3]", e1: "f64[3]", w3: "f64[9, 3]", u3: "f64[9, 3]", b3: "f64[9]", e3: "f64[9]", w4: "f64[12, 3]", u4: "f64[12, 3]", b4: "f64[12]", e4: "f64[12]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case6(x: "f32[3, 3]", h: "f32[3, 1]", c: "f32[3, 1]", w1: "f32[1, 3]", u1: "f32[1, 1]", b1: "f32[1]", e1: "f32[1]", w3: "f32[3, 3]", u3: "f32[3, 1]", b3: "f32[3]", e3: "f32[3]", w4: "f32[4, 3]", u4: "f32[4, 1]", b4: "f32[4]", e4: "f32[4]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case7(x: "f64[2, 3]", h: "f64[2, 2]", c: "f64[2, 2]", w1: "f64[2, 3]", u1: "f64[2, 2]", b1: "f64[2]", e1: "f64[2]", w3: "f64[6, 3]", u3: "f64[6, 2]", b3: "f64[6]", e3: "f64[6]", w4: "f64[8, 3]", u4: "f64[8, 2]", b4: "f64[8]", e4: "f64[8]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case8(x: "f32[3, 2]", h: "f32[3, 4]", c: "f32[3, 4]", w1: "f32[4, 2]", u1: "f32[4, 4]", b1: "f32[4]", e1: "f32[4]", w3: "f32[12, 2]", u3: "f32[12, 4]", b3: "f32[12]", e3: "f32[12]", w4: "f32[16, 2]", u4: "f32[16, 4]", b4: "f32[16]", e4: "f32[16]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case9(x: "f64[3, 1]", h: "f64[3, 3]", c: "f64[3, 3]", w1: "f64[3, 1]", u1: "f64[3, 3]", b1: "f64[3]", e1: "f64[3]", w3: "f64[9, 1]", u3: "f64[9, 3]", b3: "f64[9]", e3: "f64[9]", w4: "f64[12, 1]", u4: "f64[12, 3]", b4: "f64[12]", e4: "f64[12]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case10(x: "f32[2, 1]", h: "f32[2, 3]", c: "f32[2, 3]", w1: "f32[3, 1]", u1: "f32[3, 3]", b1: "f32[3]", e1: "f32[3]", w3: "f32[9, 1]", u3: "f32[9, 3]", b3: "f32[9]", e3: "f32[9]", w4: "f32[12, 1]", u4: "f32[12, 3]", b4: "f32[12]", e4: "f32[12]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case11(x: "f64[3, 4]", h: "f64[3, 4]", c: "f64[3, 4]", w1: "f64[4, 4]", u1: "f64[4, 4]", b1: "f64[4]", e1: "f64[4]", w3: "f64[12, 4]", u3: "f64[12, 4]", b3: "f64[12]", e3: "f64[12]", w4: "f64[16, 4]", u4: "f64[16, 4]", b4: "f64[16]", e4: "f64[16]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case12(x: "f32[1, 3]", h: "f32[1, 1]", c: "f32[1, 1]", w1: "f32[1, 3]", u1: "f32[1, 1]", b1: "f32[1]", e1: "f32[1]", w3: "f32[3, 3]", u3: "f32[3, 1]", b3: "f32[3]", e3: "f32[3]", w4: "f32[4, 3]", u4: "f32[4, 1]", b4: "f32[4]", e4: "f32[4]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case13(x: "f64[3, 2]", h: "f64[3, 2]", c: "f64[3, 2]", w1: "f64[2, 2]", u1: "f64[2, 2]", b1: "f64[2]", e1: "f64[2]", w3: "f64[6, 2]", u3: "f64[6, 2]", b3: "f64[6]", e3: "f64[6]", w4: "f64[8, 2]", u4: "f64[8, 2]", b4: "f64[8]", e4: "f64[8]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case14(x: "f32[2, 2]", h: "f32[2, 2]", c: "f32[2, 2]", w1: "f32[2, 2]", u1: "f32[2, 2]", b1: "f32[2]", e1: "f32[2]", w3: "f32[6, 2]", u3: "f32[6, 2]", b3: "f32[6]", e3: "f32[6]", w4: "f32[8, 2]", u4: "f32[8, 2]", b4: "f32[8]", e4: "f32[8]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case15(x: "f64[1, 1]", h: "f64[1, 4]", c: "f64[1, 4]", w1: "f64[4, 1]", u1: "f64[4, 4]", b1: "f64[4]", e1: "f64[4]", w3: "f64[12, 1]", u3: "f64[12, 4]", b3: "f64[12]", e3: "f64[12]", w4: "f64[16, 1]", u4: "f64[16, 4]", b4: "f64[16]", e4: "f64[16]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case16(x: "f32[1, 2]", h: "f32[1, 1]", c: "f32[1, 1]", w1: "f32[1, 2]", u1: "f32[1, 1]", b1: "f32[1]", e1: "f32[1]", w3: "f32[3, 2]", u3: "f32[3, 1]", b3: "f32[3]", e3: "f32[3]", w4: "f32[4, 2]", u4: "f32[4, 1]", b4: "f32[4]", e4: "f32[4]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case17(x: "f64[1, 3]", h: "f64[1, 2]", c: "f64[1, 2]", w1: "f64[2, 3]", u1: "f64[2, 2]", b1: "f64[2]", e1: "f64[2]", w3: "f64[6, 3]", u3: "f64[6, 2]", b3: "f64[6]", e3: "f64[6]", w4: "f64[8, 3]", u4: "f64[8, 2]", b4: "f64[8]", e4: "f64[8]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case18(x: "f32[2, 4]", h: "f32[2, 4]", c: "f32[2, 4]", w1: "f32[4, 4]", u1: "f32[4, 4]", b1: "f32[4]", e1: "f32[4]", w3: "f32[12, 4]", u3: "f32[12, 4]", b3: "f32[12]", e3: "f32[12]", w4: "f32[16, 4]", u4: "f32[16, 4]", b4: "f32[16]", e4: "f32[16]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)

def case19(x: "f64[3, 2]", h: "f64[3, 1]", c: "f64[3, 1]", w1: "f64[1, 2]", u1: "f64[1, 1]", b1: "f64[1]", e1: "f64[1]", w3: "f64[3, 2]", u3: "f64[3, 1]", b3: "f64[3]", e3: "f64[3]", w4: "f64[4, 2]", u4: "f64[4, 1]", b4: "f64[4]", e4: "f64[4]"):
    y0 = torch.gru_cell(x, h, w3, u3, b3, e3)
    y1 = torch.lstm_cell(x, [h, c], w4, u4, b4, e4)
    y2 = torch.rnn_tanh_cell(x, h, w1, u1, b1, e1)
    y3 = torch.rnn_relu_cell(x, h, w1, u1, b1, e1)
    return (y0, y1, y2, y3,)
