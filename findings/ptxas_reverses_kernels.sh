#!/usr/bin/env bash
# Expected: a cubin holds its kernels in the order of the source, so that the lists of cuobjdump and nvdisasm follow
#   it, or in alphabetical order.
# Really: ptxas writes the kernels in reverse order of the PTX; symbols, sections and both disassemblers follow that
#   order. nvcc keeps the order of the source in the PTX, so the last kernel of a .cu file is the first of the cubin.
#   Local (static) kernels come before all others.
# Versions: nvidia-cuda-nvcc 13.5.37 and nvidia-cuda-nvcc-cu12 12.9.86 (ptxas), nvidia-cuda-cuobjdump and
#   nvidia-cuda-nvdisasm 13.5.37.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
install nvidia-cuda-nvcc==13.5.37 nvidia-cuda-nvcc-cu12==12.9.86 \
    nvidia-cuda-cuobjdump==13.5.37 nvidia-cuda-nvdisasm==13.5.37
new=$site/nvidia/cu13/bin
old=$site/nvidia/cuda_nvcc/bin
"$new/ptxas" --version | tail -2
"$old/ptxas" --version | tail -2
cd "$folder"
{
    printf '.version 8.0\n.target sm_80\n.address_size 64\n'
    printf '.visible .entry %s() { ret; }\n' zeta alpha mid
    printf '.entry %s() { ret; }\n' local_b local_a
} >k.ptx
for tools in "$new" "$old"; do
    "$tools/ptxas" -arch=sm_80 k.ptx -o k.cubin
    order=$("$new/cuobjdump" -sass k.cubin | sed -n 's/.*Function : //p' | tr '\n' ' ')
    expect "cuobjdump" "$order" "local_a local_b mid alpha zeta "
    order=$("$new/nvdisasm" k.cubin 2>/dev/null | sed -n 's/^\.text\.\(.*\):/\1/p' | tr '\n' ' ')
    expect "nvdisasm" "$order" "local_a local_b mid alpha zeta "
done
echo "as described"
