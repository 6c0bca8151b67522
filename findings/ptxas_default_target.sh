#!/usr/bin/env bash
# Expected: ptxas without -arch compiles for the GPU that the .target line names, and without -o names its output
#   after the input: k.ptx becomes k.cubin.
# Really: it compiles for its own default, sm_75 with this release, whatever .target says. It refuses PTX with a newer
#   .target, and PTX for sm_50 becomes code for sm_75. The output is always called elf.o.
# Versions: nvidia-cuda-nvcc 13.5.37 (ptxas), nvidia-cuda-cuobjdump 13.5.37.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
install nvidia-cuda-nvcc==13.5.37 nvidia-cuda-cuobjdump==13.5.37
PATH=$site/nvidia/cu13/bin:$PATH
ptxas --version | tail -2
cd "$folder"
for target in 50 75 90; do
    printf '.version 8.0\n.target sm_%s\n.address_size 64\n.visible .entry k() { ret; }\n' $target >k$target.ptx
done
try() {
    rm -f elf.o "k$1.cubin"
    if ptxas "k$1.ptx" 2>message; then
        echo "wrote $(find . -name 'elf.o' -o -name "k$1.cubin"), $(cuobjdump -elf elf.o | grep -o 'sm=[0-9]*')"
    else
        tail -1 message
    fi
}
expect ".target sm_50" "$(try 50)" "wrote ./elf.o, sm=75"
expect ".target sm_75" "$(try 75)" "wrote ./elf.o, sm=75"
expect ".target sm_90" "$(try 90)" \
    "ptxas fatal   : SM version specified by .target is higher than default SM version assumed"
echo "as described"
