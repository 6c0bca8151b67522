#include "core/payloads/spirv/spirv_names.h"

#include "core/payloads/spirv/spirv.h"

#include <span>

namespace blobscope::payloads {
namespace {

struct Name {
  uint32_t value;
  std::string_view name;
};

std::string nameOf(std::span<const Name> names, uint32_t value) {
  for (const Name& known : names)
    if (known.value == value) return std::string(known.name);
  return std::to_string(value);
}

constexpr Name kCapabilities[] = {
    {0, "Matrix"},
    {1, "Shader"},
    {2, "Geometry"},
    {3, "Tessellation"},
    {4, "Addresses"},
    {5, "Linkage"},
    {6, "Kernel"},
    {7, "Vector16"},
    {8, "Float16Buffer"},
    {9, "Float16"},
    {10, "Float64"},
    {11, "Int64"},
    {12, "Int64Atomics"},
    {13, "ImageBasic"},
    {14, "ImageReadWrite"},
    {15, "ImageMipmap"},
    {17, "Pipes"},
    {18, "Groups"},
    {19, "DeviceEnqueue"},
    {20, "LiteralSampler"},
    {21, "AtomicStorage"},
    {22, "Int16"},
    {23, "TessellationPointSize"},
    {24, "GeometryPointSize"},
    {25, "ImageGatherExtended"},
    {27, "StorageImageMultisample"},
    {28, "UniformBufferArrayDynamicIndexing"},
    {29, "SampledImageArrayDynamicIndexing"},
    {30, "StorageBufferArrayDynamicIndexing"},
    {31, "StorageImageArrayDynamicIndexing"},
    {32, "ClipDistance"},
    {33, "CullDistance"},
    {34, "ImageCubeArray"},
    {35, "SampleRateShading"},
    {36, "ImageRect"},
    {37, "SampledRect"},
    {38, "GenericPointer"},
    {39, "Int8"},
    {40, "InputAttachment"},
    {41, "SparseResidency"},
    {42, "MinLod"},
    {43, "Sampled1D"},
    {44, "Image1D"},
    {45, "SampledCubeArray"},
    {46, "SampledBuffer"},
    {47, "ImageBuffer"},
    {48, "ImageMSArray"},
    {49, "StorageImageExtendedFormats"},
    {50, "ImageQuery"},
    {51, "DerivativeControl"},
    {52, "InterpolationFunction"},
    {53, "TransformFeedback"},
    {54, "GeometryStreams"},
    {55, "StorageImageReadWithoutFormat"},
    {56, "StorageImageWriteWithoutFormat"},
    {57, "MultiViewport"},
    {58, "SubgroupDispatch"},
    {59, "NamedBarrier"},
    {60, "PipeStorage"},
    {61, "GroupNonUniform"},
    {62, "GroupNonUniformVote"},
    {63, "GroupNonUniformArithmetic"},
    {64, "GroupNonUniformBallot"},
    {65, "GroupNonUniformShuffle"},
    {66, "GroupNonUniformShuffleRelative"},
    {67, "GroupNonUniformClustered"},
    {68, "GroupNonUniformQuad"},
    {69, "ShaderLayer"},
    {70, "ShaderViewportIndex"},
    {71, "UniformDecoration"},
    {4423, "SubgroupBallotKHR"},
    {4427, "DrawParameters"},
    {4428, "WorkgroupMemoryExplicitLayoutKHR"},
    {4429, "WorkgroupMemoryExplicitLayout8BitAccessKHR"},
    {4430, "WorkgroupMemoryExplicitLayout16BitAccessKHR"},
    {4431, "SubgroupVoteKHR"},
    {4433, "StorageBuffer16BitAccess"},
    {4434, "UniformAndStorageBuffer16BitAccess"},
    {4435, "StoragePushConstant16"},
    {4436, "StorageInputOutput16"},
    {4437, "DeviceGroup"},
    {4439, "MultiView"},
    {4441, "VariablePointersStorageBuffer"},
    {4442, "VariablePointers"},
    {4445, "AtomicStorageOps"},
    {4447, "SampleMaskPostDepthCoverage"},
    {4448, "StorageBuffer8BitAccess"},
    {4449, "UniformAndStorageBuffer8BitAccess"},
    {4450, "StoragePushConstant8"},
    {4464, "DenormPreserve"},
    {4465, "DenormFlushToZero"},
    {4466, "SignedZeroInfNanPreserve"},
    {4467, "RoundingModeRTE"},
    {4468, "RoundingModeRTZ"},
    {5301, "ShaderNonUniform"},
    {5302, "RuntimeDescriptorArray"},
    {5345, "VulkanMemoryModel"},
    {5346, "VulkanMemoryModelDeviceScope"},
    {5347, "PhysicalStorageBufferAddresses"},
    {5357, "CooperativeMatrixNV"},
    {5568, "SubgroupShuffleINTEL"},
    {5569, "SubgroupBufferBlockIOINTEL"},
    {5570, "SubgroupImageBlockIOINTEL"},
    {6016, "DotProductInputAll"},
    {6017, "DotProductInput4x8Bit"},
    {6018, "DotProductInput4x8BitPacked"},
    {6019, "DotProduct"},
    {6022, "CooperativeMatrixKHR"},
    {6033, "AtomicFloat32AddEXT"},
    {6034, "AtomicFloat64AddEXT"},
};
constexpr Name kModels[] = {
    {0, "Vertex"},
    {1, "TessellationControl"},
    {2, "TessellationEvaluation"},
    {3, "Geometry"},
    {4, "Fragment"},
    {5, "GLCompute"},
    {6, "Kernel"},
    {5267, "TaskNV"},
    {5268, "MeshNV"},
    {5313, "RayGenerationKHR"},
    {5314, "IntersectionKHR"},
    {5315, "AnyHitKHR"},
    {5316, "ClosestHitKHR"},
    {5317, "MissKHR"},
    {5318, "CallableKHR"},
    {5364, "TaskEXT"},
    {5365, "MeshEXT"},
};
constexpr Name kStorageClasses[] = {
    {0, "UniformConstant"}, {1, "Input"},
    {2, "Uniform"},         {3, "Output"},
    {4, "Workgroup"},       {5, "CrossWorkgroup"},
    {6, "Private"},         {7, "Function"},
    {8, "Generic"},         {9, "PushConstant"},
    {10, "AtomicCounter"},  {11, "Image"},
    {12, "StorageBuffer"},  {5349, "PhysicalStorageBuffer"},
};
constexpr Name kAddressing[] = {
    {0, "Logical"}, {1, "Physical32"}, {2, "Physical64"}, {5348, "PhysicalStorageBuffer64"}};
constexpr Name kMemory[] = {{0, "Simple"}, {1, "GLSL450"}, {2, "OpenCL"}, {3, "Vulkan"}};
constexpr Name kSources[] = {
    {0, "Unknown"}, {1, "ESSL"},   {2, "GLSL"}, {3, "OpenCL_C"}, {4, "OpenCL_CPP"}, {5, "HLSL"}, {6, "CPP_for_OpenCL"},
    {7, "SYCL"},    {8, "HERO_C"}, {9, "NZSL"}, {10, "WGSL"},    {11, "Slang"},     {12, "Zig"},
};
constexpr Name kGenerators[] = {
    {0, "Khronos"},
    {1, "LunarG"},
    {2, "Valve"},
    {3, "Codeplay"},
    {4, "NVIDIA"},
    {5, "ARM"},
    {6, "Khronos LLVM/SPIR-V Translator"},
    {7, "Khronos SPIR-V Tools Assembler"},
    {8, "Khronos Glslang Reference Front End"},
    {9, "Qualcomm"},
    {10, "AMD"},
    {11, "Intel"},
    {12, "Imagination"},
    {13, "Google Shaderc over Glslang"},
    {14, "Google spiregg"},
    {15, "Google rspirv"},
    {16, "X-LEGEND Mesa-IR/SPIR-V Translator"},
    {17, "Khronos SPIR-V Tools Linker"},
    {18, "Wine VKD3D Shader Compiler"},
    {19, "Tellusim Clay Shader Compiler"},
    {20, "W3C WebGPU Group WHLSL Shader Translator"},
    {21, "Google Clspv"},
    {22, "LLVM MLIR SPIR-V Serializer"},
    {23, "Google Tint Compiler"},
    {24, "Google ANGLE Shader Compiler"},
    {27, "Embark Studios Rust GPU Compiler Backend"},
    {28, "gfx-rs community Naga"},
    {40, "Khronos Slang Compiler"},
    {41, "Zig Compiler"},
    {43, "LLVM SPIR-V Backend"},
};

} // namespace

std::string spirvCapabilityName(uint32_t capability) { return nameOf(kCapabilities, capability); }
std::string spirvModelName(uint32_t model) { return nameOf(kModels, model); }
std::string spirvStorageName(uint32_t storageClass) { return nameOf(kStorageClasses, storageClass); }
std::string spirvAddressingName(uint32_t addressing) { return nameOf(kAddressing, addressing); }
std::string spirvMemoryName(uint32_t memory) { return nameOf(kMemory, memory); }
std::string spirvSourceName(uint32_t language) { return nameOf(kSources, language); }

std::string_view spirvGeneratorName(uint32_t tool) {
  for (const Name& known : kGenerators)
    if (known.value == tool) return known.name;
  return {};
}

} // namespace blobscope::payloads
