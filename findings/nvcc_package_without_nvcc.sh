#!/usr/bin/env bash
# Expected: the package nvidia-cuda-nvcc-cu12 contains the compiler nvcc, as the package nvidia-cuda-nvcc of CUDA 13
#   does, and after "pip install" it can be called in the virtual environment.
# Really: nvidia-cuda-nvcc-cu12 contains ptxas and libdevice, but no nvcc, cicc, fatbinary or nvlink. nvidia-cuda-nvcc
#   13 contains nvcc, but in site-packages/nvidia/cu13/bin: the bin folder of the environment gets nothing.
# Versions: nvidia-cuda-nvcc-cu12 12.9.86, nvidia-cuda-nvcc 13.5.37.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
install nvidia-cuda-nvcc-cu12==12.9.86 nvidia-cuda-nvcc==13.5.37
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

for name in ("nvidia-cuda-nvcc-cu12", "nvidia-cuda-nvcc"):
    print(name, version(name))
PYTHON
programs() {
    local tool
    for tool in nvcc cicc ptxas fatbinary nvlink; do
        [ -z "$(find "$1" -name $tool -type f)" ] || printf '%s ' $tool
    done
}
expect "programs in nvidia-cuda-nvcc-cu12" "$(programs "$site/nvidia/cuda_nvcc")" "ptxas "
expect "programs in nvidia-cuda-nvcc and what it requires" "$(programs "$site/nvidia/cu13" | sed 's/cicc //')" \
    "nvcc ptxas fatbinary nvlink "
expect "nvcc in the bin folder of the environment" "$(find "$folder/venv/bin" -name nvcc | wc -l)" 0
echo "as described"
