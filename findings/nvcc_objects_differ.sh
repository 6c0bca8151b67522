#!/usr/bin/env bash
# Expected: nvcc -c of one file in one folder writes the same object twice, or the device code differs, since the host
#   compiler alone would repeat itself.
# Really: the objects differ in the number of the nvcc process. It stands in the name of a temporary file
#   (tmpxft_00001234_00000000-6_k.cudafe1.cpp) that ends up as FILE symbol of the object. Code, data and device code
#   are equal: nvcc -cubin and -fatbin repeat themselves to the byte, and so does the object after strip
#   --strip-unneeded.
# Versions: nvidia-cuda-nvcc, nvidia-cuda-crt, nvidia-nvvm and nvidia-cuda-runtime 13.5.37, with g++ and binutils
#   installed.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
need g++ strip readelf
install nvidia-cuda-nvcc==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-nvvm==13.5.37 nvidia-cuda-runtime==13.5.37
PATH=$site/nvidia/cu13/bin:$PATH
nvcc --version | tail -2 | head -1
cd "$folder"
echo '__global__ void k(int* a) { *a = 1; }' >k.cu
for run in 1 2; do
    nvcc -arch=sm_80 -c k.cu -o object$run
    nvcc -arch=sm_80 -cubin k.cu -o cubin$run
    nvcc -arch=sm_80 -fatbin k.cu -o fatbin$run
    strip --strip-unneeded -o stripped$run object$run
    file=$(readelf -sW object$run | awk '$4 == "FILE" { print $8 }' | head -1)
    echo "FILE symbol: $file"
    expect "its name without digits" "$(tr -d 0-9a-f <<<"${file%%-*}")" "tmpxt__"
done
same() { cmp -s "${1}1" "${1}2" && echo equal || echo different; }
expect "objects" "$(same object)" different
expect "cubins" "$(same cubin)" equal
expect "fat binaries" "$(same fatbin)" equal
expect "objects after strip" "$(same stripped)" equal
echo "as described"
