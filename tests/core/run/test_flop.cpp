#include "core/run/flop.h"

#include "tests/support/test_main.h"

#include <QTest>

using namespace blobscope;

using Shapes = std::vector<std::vector<int64_t>>;
Q_DECLARE_METATYPE(Shapes)

/// The estimated operations of matrix products and convolutions.
class TestFlop : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void operationsAreCounted_data() {
    QTest::addColumn<Shapes>("shapes"); // the output last
    QTest::addColumn<double>("flop");   // negative: not known
    const auto row = [](const char* name, const Shapes& shapes, double flop) { QTest::newRow(name) << shapes << flop; };
    row("fused_nn_dense_add", {{128, 768}, {3072, 768}, {3072}, {128, 3072}}, 2.0 * 128 * 3072 * 768);
    row("NT_matmul12", {{1, 128, 768}, {3072, 768}, {1, 128, 3072}}, 2.0 * 128 * 3072 * 768);
    row("matmul", {{1, 4}, {4, 5}, {1, 5}}, 40);
    row("matmul_of_a_vector", {{4}, {4, 5}, {5}}, 40);
    row("tvmgen_default_fused_nn_batch_matmul", {{12, 128, 64}, {12, 128, 64}, {12, 128, 128}},
        2.0 * 12 * 128 * 128 * 64);
    row("fused_nn_dense_reshape_transpose", {{128, 768}, {768, 768}, {12, 128, 64}}, 2.0 * 128 * 768 * 768);
    // Eight weights of four bits in one element, with a scale for each 32.
    row("fused_fused_dequantize1_NT_matmul5", {{4096, 512}, {4096, 128}, {1, 7, 4096}, {1, 7, 4096}},
        2.0 * 7 * 4096 * 4096);
    row("fused_dequantize_matmul", {{3000, 512}, {1, 7, 4096}, {1, 7, 4096}}, -1); // no axis is N
    row("cublas_gemm_transposed_a", {{8, 4}, {8, 5}, {4, 5}}, 2.0 * 4 * 5 * 8);
    // 3 × 3 kernels, 3 channels: 27 products for each element.
    row("conv2d", {{1, 3, 8, 8}, {4, 3, 3, 3}, {1, 4, 8, 8}}, 2.0 * 256 * 27);
    row("fused_nn_conv2d_add_nn_relu", {{1, 8, 8, 3}, {3, 3, 3, 4}, {4}, {1, 8, 8, 4}}, 2.0 * 256 * 27);
    row("conv2d_NCHWc", {{1, 1, 160, 160, 3}, {2, 1, 3, 3, 3, 4}, {1, 2, 160, 160, 4}}, 2.0 * 204'800 * 27);
    row("nn_conv2d_depthwise", {{1, 32, 8, 8}, {32, 1, 3, 3}, {1, 32, 8, 8}}, 2.0 * 2'048 * 9);
    row("nn_conv2d_depthwise_nhwc", {{1, 8, 8, 32}, {3, 3, 32, 1}, {1, 8, 8, 32}}, 2.0 * 2'048 * 9);
    row("nn_conv1d", {{1, 4, 16}, {8, 4, 3}, {1, 8, 14}}, 2.0 * 112 * 12);
    row("nn_conv3d", {{1, 2, 4, 4, 4}, {3, 2, 3, 3, 3}, {1, 3, 4, 4, 4}}, 2.0 * 192 * 54);
    row("nn_conv2d_transpose", {{1, 4, 8, 8}, {4, 2, 3, 3}, {1, 2, 16, 16}}, 2.0 * 256 * 18);
    row("relu", {{1, 4}, {4, 5}, {1, 5}}, -1);
    row("fused_dense_dense", {{1, 4}, {4, 5}, {1, 5}}, -1); // which of both is not known
    row("matmul_sum", {{1, 4}, {4, 5}, {1}}, -1);
    row("conv2d_winograd_without_weight_transform", {{1, 8, 8, 8}, {6, 6, 8, 8}, {1, 8, 8, 8}}, -1);
    row("dense", {{1, 4}}, -1);
    row("matmul_of_nothing", {{0, 4}, {4, 5}, {0, 5}}, -1);
  }
  void operationsAreCounted() {
    QFETCH(Shapes, shapes);
    QFETCH(double, flop);
    const std::vector<int64_t> output = shapes.back();
    shapes.pop_back();
    const auto found = run::flopOf(QTest::currentDataTag(), shapes, output);
    QCOMPARE(found.value_or(-1), flop);
  }
};

BLOBSCOPE_TEST(TestFlop);

#include "test_flop.moc"
