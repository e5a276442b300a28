"""RMSNorm for NKI, edited by hand: one activation takes the mean and the root, tiles are narrower, a product is turned."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def rmsnorm_kernel(x, weight, size):
    result_0 = nl.ndarray((size,), dtype=nl.float32, buffer=nl.shared_hbm)
    width_3 = max(1, min(1024, (size + 127) // 128))
    one_width_3 = max(1, min(128, size // width_3))
    if size == width_3 * one_width_3:
        one_x_5 = nl.ndarray((one_width_3, width_3), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=one_x_5, src=x.ap([[width_3, one_width_3], [1, width_3]], offset=0))
        one_multiply_6 = nl.ndarray((one_width_3, width_3), dtype=nl.float32, buffer=nl.sbuf)
        one_part_4 = nl.ndarray((one_width_3, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=one_multiply_6, data=one_x_5, op=nl.square, reduce_op=nl.add, reduce_res=one_part_4)
        one_ones_7 = nl.ndarray((one_width_3, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=one_ones_7, value=1.0)
        one_sum_8 = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=one_sum_8, stationary=one_part_4, moving=one_ones_7)
        one_total_1_2 = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=one_total_1_2, data=one_sum_8, op=nl.copy)
        one_add_15 = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
        one_rsqrt_16 = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=one_rsqrt_16, op=nl.rsqrt, data=one_total_1_2, scale=1.0 / float(size), bias=1e-05)
        one_weight_18 = nl.ndarray((one_width_3, width_3), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=one_weight_18, src=weight.ap([[width_3, one_width_3], [1, width_3]], offset=0))
        one_ones_19 = nl.ndarray((1, one_width_3), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=one_ones_19, value=1.0)
        one_spread_20 = nl.ndarray((one_width_3, 1), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=one_spread_20, stationary=one_ones_19, moving=one_rsqrt_16)
        one_all_rows_21 = nl.ndarray((one_width_3, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=one_all_rows_21, data=one_spread_20, op=nl.copy)
        one_multiply_24 = nl.ndarray((one_width_3, width_3), dtype=nl.float32, buffer=nl.sbuf)
        nisa.scalar_tensor_tensor(dst=one_multiply_24, data=one_x_5, op0=nl.multiply, op1=nl.multiply, operand0=one_all_rows_21, operand1=one_weight_18)
        nisa.dma_copy(dst=result_0.ap([[width_3, one_width_3], [1, width_3]], offset=0), src=one_multiply_24)
    else:
        total_1 = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=total_1, value=0.0)
        for t_2 in nl.sequential_range((size // width_3 + 127) // 128):
            rows = min(128, size // width_3 - 128 * t_2)
            part_4 = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
            x_5 = nl.ndarray((rows, width_3), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=x_5, src=x.ap([[width_3, rows], [1, width_3]], offset=128 * t_2 * width_3))
            multiply_6 = nl.ndarray((rows, width_3), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_tensor(dst=multiply_6, data1=x_5, data2=x_5, op=nl.multiply)
            nisa.tensor_reduce(dst=part_4, op=nl.add, data=multiply_6, axis=1)
            ones_7 = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(dst=ones_7, value=1.0)
            sum_8 = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=sum_8, stationary=part_4, moving=ones_7)
            nisa.tensor_tensor(dst=total_1, data1=total_1, data2=sum_8, op=nl.add)
        if 0 < size % width_3:
            columns = size % width_3
            part_9 = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
            x_10 = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=x_10, src=x.ap([[0, 1], [1, columns]], offset=width_3 * (size // width_3)))
            multiply_11 = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_tensor(dst=multiply_11, data1=x_10, data2=x_10, op=nl.multiply)
            nisa.tensor_reduce(dst=part_9, op=nl.add, data=multiply_11, axis=1)
            nisa.tensor_tensor(dst=total_1, data1=total_1, data2=part_9, op=nl.add)
        number_12 = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=number_12, value=float(size))
        reciprocal_13 = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.reciprocal(dst=reciprocal_13, data=number_12)
        multiply_14 = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=multiply_14, data1=total_1, data2=reciprocal_13, op=nl.multiply)
        add_15 = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=add_15, data=multiply_14, op0=nl.add, operand0=1e-05)
        rsqrt_16 = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=rsqrt_16, op=nl.rsqrt, data=add_15)
        for t_17 in nl.affine_range((size // width_3 + 127) // 128):
            rows = min(128, size // width_3 - 128 * t_17)
            weight_18 = nl.ndarray((rows, width_3), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=weight_18, src=weight.ap([[width_3, rows], [1, width_3]], offset=128 * t_17 * width_3))
            ones_19 = nl.ndarray((1, rows), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(dst=ones_19, value=1.0)
            spread_20 = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=spread_20, stationary=ones_19, moving=rsqrt_16)
            all_rows_21 = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=all_rows_21, src=spread_20)
            x_22 = nl.ndarray((rows, width_3), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=x_22, src=x.ap([[width_3, rows], [1, width_3]], offset=128 * t_17 * width_3))
            multiply_23 = nl.ndarray((rows, width_3), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_scalar(dst=multiply_23, data=x_22, op0=nl.multiply, operand0=all_rows_21)
            multiply_24 = nl.ndarray((rows, width_3), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_tensor(dst=multiply_24, data1=weight_18, data2=multiply_23, op=nl.multiply)
            nisa.dma_copy(dst=result_0.ap([[width_3, rows], [1, width_3]], offset=128 * t_17 * width_3), src=multiply_24)
        if 0 < size % width_3:
            columns = size % width_3
            weight_25 = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=weight_25, src=weight.ap([[0, 1], [1, columns]], offset=width_3 * (size // width_3)))
            x_26 = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=x_26, src=x.ap([[0, 1], [1, columns]], offset=width_3 * (size // width_3)))
            multiply_27 = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_scalar(dst=multiply_27, data=x_26, op0=nl.multiply, operand0=rsqrt_16)
            multiply_28 = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_tensor(dst=multiply_28, data1=multiply_27, data2=weight_25, op=nl.multiply)
            nisa.dma_copy(dst=result_0.ap([[0, 1], [1, columns]], offset=width_3 * (size // width_3)), src=multiply_28)
    return result_0


def rmsnorm(o: "float32[size]", x: "float32[size]", weight: "float32[size]", size: int):
    """Calls the kernel on NumPy arrays, and puts its results where rmsnorm puts them."""
    result_0 = rmsnorm_kernel(x, weight, size)
    o[:size] = result_0
    return o
