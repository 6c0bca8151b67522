#!/usr/bin/env bash
# Expected: llvm-objcopy without options copies a cubin, an ELF file, and changes nothing that matters. GNU objcopy
#   and strip either do the same or refuse the machine type.
# Really: cubins have local symbols after global ones. llvm-objcopy sorts them as ELF demands and corrects sh_info and
#   relocations, but the records in .nv.info refer to symbols by number as well: cuobjdump then shows REG:0 for most
#   kernels, and nvdisasm refuses the file. The tool reports success. GNU objcopy refuses cubins.
# Versions: nvidia-cuda-nvcc 13.5.37 (ptxas), nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm 13.5.37; llvm-objcopy of
#   LLVM 14.0.6 and 19.1.7, GNU objcopy of binutils 2.40.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
need llvm-objcopy objcopy
install nvidia-cuda-nvcc==13.5.37 nvidia-cuda-cuobjdump==13.5.37 nvidia-cuda-nvdisasm==13.5.37
PATH=$site/nvidia/cu13/bin:$PATH
ptxas --version | tail -2 | head -1
llvm-objcopy --version | grep version
cd "$folder"
{
    printf '.version 8.0\n.target sm_90\n.address_size 64\n'
    for name in one two; do
        echo ".visible .entry $name(.param .u64 a) {"
        echo '.reg .b64 %p<2>; ld.param.u64 %p1, [a]; st.global.u64 [%p1], %p1; ret; }'
    done
} >k.ptx
ptxas -arch=sm_90 k.ptx -o k.cubin
registers() { cuobjdump -res-usage "$1" | grep -o 'REG:[0-9]*' | tr '\n' ' '; }
before=$(registers k.cubin)
echo "before: $before"
expect "a kernel without registers before" "$(grep -c 'REG:0 ' <<<"$before" || true)" 0
expect "nvdisasm before" "$(nvdisasm k.cubin >/dev/null 2>&1 && echo accepts || echo refuses)" accepts
llvm-objcopy k.cubin copy.cubin
expect "registers after llvm-objcopy" "$(registers copy.cubin)" "REG:0 REG:0 "
expect "nvdisasm after llvm-objcopy" "$(nvdisasm copy.cubin 2>&1 | head -1)" \
    "nvdisasm fatal   : Expected index@ expression with function symbol for EIATTR_REGCOUNT"
expect "GNU objcopy" "$(objcopy k.cubin gnu.cubin 2>&1 | grep -o 'Unable to recognise the format')" \
    "Unable to recognise the format"
echo "as described"
