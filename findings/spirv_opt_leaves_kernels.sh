#!/usr/bin/env bash
# Expected: spirv-opt -O makes an OpenCL kernel smaller when it contains the same multiplication twice and an addition
#   whose result is not used, as it does with a Vulkan shader.
# Really: the OpenCL module stays as it is, byte for byte, and the tool reports success. A Vulkan shader with the same
#   body loses both instructions. --strip-debug works on both, and takes the OpString lines of the kernel's argument
#   types with it.
# Versions: SPIRV-Tools 2023.1 (Debian 12).
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
need spirv-as spirv-opt spirv-dis
spirv-opt --version | head -1
cd "$folder"
body='%x = OpLoad %float %p
%m = OpFMul %float %x %x
%n = OpFMul %float %x %x
%unused = OpFAdd %float %x %x
%r = OpFAdd %float %m %n
OpStore %p %r
OpReturn
OpFunctionEnd'
cat >kernel.txt <<TEXT
OpCapability Addresses
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "k"
%s = OpString "kernel_arg_type.k.float*,"
%void = OpTypeVoid
%float = OpTypeFloat 32
%pointer = OpTypePointer CrossWorkgroup %float
%type = OpTypeFunction %void %pointer
%main = OpFunction %void None %type
%p = OpFunctionParameter %pointer
%entry = OpLabel
$body
TEXT
cat >shader.txt <<TEXT
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "k"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %p DescriptorSet 0
OpDecorate %p Binding 0
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
%void = OpTypeVoid
%float = OpTypeFloat 32
%int = OpTypeInt 32 0
%zero = OpConstant %int 0
%block = OpTypeStruct %float
%outer = OpTypePointer StorageBuffer %block
%pointer = OpTypePointer StorageBuffer %float
%buffer = OpVariable %outer StorageBuffer
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%entry = OpLabel
%p = OpAccessChain %pointer %buffer %zero
$body
TEXT
sed -i 's/^OpDecorate %p /OpDecorate %buffer /' shader.txt
arithmetic() { spirv-dis "$1" | grep -c -E 'OpF(Mul|Add)| Fma ' || true; }
for name in kernel shader; do
    spirv-as --target-env spv1.3 $name.txt -o $name.spv
    spirv-opt -O $name.spv -o $name.opt.spv
    spirv-opt --strip-debug $name.spv -o $name.strip.spv
done
expect "kernel, operations before and after" "$(arithmetic kernel.spv) $(arithmetic kernel.opt.spv)" "4 4"
expect "kernel, file" "$(cmp -s kernel.spv kernel.opt.spv && echo unchanged || echo changed)" unchanged
expect "shader, operations before and after" "$(arithmetic shader.spv) $(arithmetic shader.opt.spv)" "4 2"
expect "kernel, OpString before and after --strip-debug" \
    "$(spirv-dis kernel.spv | grep -c OpString) $(spirv-dis kernel.strip.spv | grep -c OpString || true)" "1 0"
echo "as described"
