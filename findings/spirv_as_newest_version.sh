#!/usr/bin/env bash
# Expected: spirv-as chooses the SPIR-V version by what the module uses; an OpenCL kernel without new features is
#   valid for OpenCL.
# Really: without --target-env it always writes the newest version that it knows, 1.6. spirv-val without --target-env
#   accepts that, and refuses it for each version of OpenCL. spirv-dis and spirv-as alone therefore raise the version
#   of a module: a round trip of version 1.0 ends in 1.6.
# Versions: SPIRV-Tools 2023.1 (Debian 12).
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
need spirv-as spirv-val spirv-dis
spirv-as --version | head -1
cd "$folder"
cat >kernel.txt <<'TEXT'
OpCapability Addresses
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "k"
%void = OpTypeVoid
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%entry = OpLabel
OpReturn
OpFunctionEnd
TEXT
version() { spirv-dis "$1" | sed -n 's/; Version: //p'; }
valid() { spirv-val "${@:2}" "$1" 2>/dev/null && echo valid || echo refused; }
spirv-as kernel.txt -o new.spv
spirv-as --target-env opencl1.2 kernel.txt -o old.spv
expect "version without --target-env" "$(version new.spv)" 1.6
expect "version with --target-env opencl1.2" "$(version old.spv)" 1.0
expect "spirv-val" "$(valid new.spv)" valid
for environment in opencl1.2 opencl2.0 opencl2.1 opencl2.2; do
    expect "spirv-val --target-env $environment" "$(valid new.spv --target-env $environment)" refused
    expect "version 1.0, $environment" "$(valid old.spv --target-env $environment)" valid
done
spirv-dis old.spv -o old.txt
spirv-as old.txt -o again.spv
expect "version after a round trip of 1.0" "$(version again.spv)" 1.6
echo "as described"
