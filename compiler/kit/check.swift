// Runs the cases of a kit on this Mac and records what happens. It judges nothing: `airfoil kit report` does.
//
//     swift check.swift KIT             all cases
//     swift check.swift KIT NAME...     the cases whose name contains one of the words
//
// It takes the Command Line Tools (`xcode-select --install`), not Xcode. Each case runs in a process of its own, one after the other, for at most 20 seconds: as it
// is (`plain`), and under Metal's validation layers (`checked`). `control.metal`, where a case has one, runs first (`control`).
import CoreGraphics
import Foundation
import Metal

// MARK: - case.json

struct Requires: Codable { let macos: Int; let family: Int? }
struct CaseFunction: Codable { let name: String }
struct BufferFile: Codable { let name: String; let file: String }
struct TextureFile: Codable {
    let name: String; let type: UInt; let format: UInt; let texel: Int; let size: [Int]; let length: Int
    let slices: Int; let levels: Int; let samples: Int; let usage: UInt; let file: String?; let buffer: String?
}
struct SamplerFile: Codable {
    let name: String; let address: [UInt]; let min: UInt; let mag: UInt; let mip: UInt; let compare: UInt?
}
struct Constant: Codable { let index: Int; let type: UInt; let bits: UInt64 }
struct Bound: Codable { let kind: String; let index: Int; let resource: String?; let size: Int?; let members: [Bound]? }
struct StageCase: Codable { let function: String; let constants: [Constant]?; let bindings: [Bound]? }
struct Attribute: Codable {
    let index: Int; let format: UInt; let buffer: Int; let resource: String; let stride: Int; let perInstance: Bool
}
struct Indices: Codable { let resource: String; let type: UInt; let baseVertex: Int }
struct ColorCase: Codable { let texture: String; let resolve: String?; let clear: [Double]; let blend: [UInt]? }
struct DepthCase: Codable { let texture: String; let clear: Double; let compare: UInt }
struct Tessellation: Codable { let factors: String; let partition: UInt; let patches: Int }
struct DrawCase: Codable {
    let topology: UInt; let topologyClass: UInt; let vertices: Int; let instances: Int; let indices: Indices?
    let colors: [ColorCase]; let depth: DepthCase?; let samples: Int; let cull: UInt; let winding: UInt; let layers: Int
    let tessellation: Tessellation?; let meshGroups: [Int]; let meshThreads: [[Int]]
}
struct Pass: Codable {
    let kind: String; let compute: StageCase?; let groups: [Int]; let threads: [Int]; let vertex: StageCase?
    let object: StageCase?; let mesh: StageCase?; let fragment: StageCase?; let draw: DrawCase?; let attributes: [Attribute]?
}
struct Output: Codable { let resource: String }
struct Case: Codable {
    let schema: Int; let name: String; let kind: String; let library: String; let control: String?; let requires: Requires
    let functions: [CaseFunction]; let buffers: [BufferFile]?; let textures: [TextureFile]?; let samplers: [SamplerFile]?
    let passes: [Pass]?; let outputs: [Output]?
}

func readCase(_ folder: URL) throws -> Case {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Case.self, from: Data(contentsOf: folder.appendingPathComponent("case.json")))
}

func writeJSON(_ value: [String: Any], _ file: URL) {
    if let data = try? JSONSerialization.data(withJSONObject: value, options: [.prettyPrinted, .sortedKeys]) {
        try? data.write(to: file)
    }
}

func firstDevice() -> MTLDevice? { MTLCreateSystemDefaultDevice() ?? MTLCopyAllDevices().first }

// MARK: - One case, in a process of its own

struct Failure: Error { let text: String }

final class Runner {
    let device: MTLDevice, test: Case, folder: URL, results: URL
    var steps: [[String: Any]] = [], functions: [[String: Any]] = [], reflection: [[String: Any]] = []
    var outputs: [[String: Any]] = [], begun = "start"
    var buffers: [String: MTLBuffer] = [:], textures: [String: MTLTexture] = [:], samplers: [String: MTLSamplerState] = [:]

    init(_ device: MTLDevice, _ test: Case, _ folder: URL, _ results: URL) {
        (self.device, self.test, self.folder, self.results) = (device, test, folder, results)
    }

    func save() {
        writeJSON(["begun": begun, "steps": steps, "functions": functions, "reflection": reflection, "outputs": outputs],
                  results.appendingPathComponent("run.json"))
    }

    /// Performs a step; the file on disk always has the step that was begun last.
    func step<T>(_ name: String, _ body: () throws -> T) -> T? {
        begun = name
        save()
        do {
            let value = try body()
            steps.append(["step": name, "ok": true])
            save()
            return value
        } catch {
            let e = error as NSError
            let text = (error as? Failure)?.text ?? e.localizedDescription
            steps.append(["step": name, "ok": false, "domain": e.domain, "code": e.code, "text": text])
            save()
            return nil
        }
    }

    func run(control: Bool) {
        let library: MTLLibrary? = step("load") {
            if control, let name = test.control {
                return try device.makeLibrary(source: String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8), options: nil)
            }
            return try device.makeLibrary(URL: folder.appendingPathComponent(test.library))
        }
        guard let library = library else { return }
        let found: Bool? = step("function") {
            for f in test.functions {
                guard let function = library.makeFunction(name: f.name) else {
                    throw Failure(text: "there is no function \(f.name) among \(library.functionNames)")
                }
                functions.append(["name": function.name, "type": function.functionType.rawValue])
            }
            return true
        }
        if found == nil || test.kind == "load" { return }
        let pipelines: [Pipeline]? = step("pipeline") { try (test.passes ?? []).map { try makePipeline($0, library) } }
        guard let made = pipelines, test.kind == "run" else { return }
        _ = step("run") {
            try makeResources()
            for (pass, pipeline) in zip(test.passes ?? [], made) { try execute(pass, pipeline) }
            for output in test.outputs ?? [] { try readBack(output.resource) }
        }
    }

    // MARK: Pipelines

    enum Pipeline { case compute(MTLComputePipelineState), render(MTLRenderPipelineState) }

    func function(_ stage: StageCase, _ library: MTLLibrary) throws -> MTLFunction {
        guard let plain = library.makeFunction(name: stage.function) else { throw Failure(text: "there is no function \(stage.function)") }
        if plain.functionConstantsDictionary.isEmpty { return plain }
        let values = MTLFunctionConstantValues()
        for c in stage.constants ?? [] {
            var bits = c.bits
            guard let type = MTLDataType(rawValue: c.type) else { throw Failure(text: "unknown data type \(c.type)") }
            values.setConstantValue(&bits, type: type, index: c.index)
        }
        return try library.makeFunction(name: stage.function, constantValues: values)
    }

    func reflect(_ function: String, _ bindings: [MTLBinding]) {
        for b in bindings {
            var one: [String: Any] = ["function": function, "name": b.name, "type": b.type.rawValue, "index": b.index,
                                      "access": b.access.rawValue, "used": b.isUsed]
            if let buffer = b as? MTLBufferBinding { one["size"] = buffer.bufferDataSize }
            reflection.append(one)
        }
    }

    func makePipeline(_ pass: Pass, _ library: MTLLibrary) throws -> Pipeline {
        // MTLPipelineOption: argument (binding) and buffer-type information.
        let options = MTLPipelineOption(rawValue: 3)
        if let kernel = pass.compute {
            let descriptor = MTLComputePipelineDescriptor()
            descriptor.computeFunction = try function(kernel, library)
            var info: MTLAutoreleasedComputePipelineReflection?
            let state = try device.makeComputePipelineState(descriptor: descriptor, options: options, reflection: &info)
            if let info = info { reflect(kernel.function, info.bindings) }
            return .compute(state)
        }
        guard let draw = pass.draw else { throw Failure(text: "a pass without work") }
        func color(_ target: MTLRenderPipelineColorAttachmentDescriptor, _ c: ColorCase) throws {
            target.pixelFormat = try texture(c.texture).format
            if let blend = c.blend, let source = MTLBlendFactor(rawValue: blend[0]), let destination = MTLBlendFactor(rawValue: blend[1]) {
                target.isBlendingEnabled = true
                (target.sourceRGBBlendFactor, target.destinationRGBBlendFactor) = (source, destination)
                (target.sourceAlphaBlendFactor, target.destinationAlphaBlendFactor) = (source, destination)
            }
        }
        if let mesh = pass.mesh {
            let descriptor = MTLMeshRenderPipelineDescriptor()
            if let object = pass.object { descriptor.objectFunction = try function(object, library) }
            descriptor.meshFunction = try function(mesh, library)
            if let fragment = pass.fragment { descriptor.fragmentFunction = try function(fragment, library) }
            for (n, c) in draw.colors.enumerated() { try color(descriptor.colorAttachments[n], c) }
            let (state, info) = try device.makeRenderPipelineState(descriptor: descriptor, options: options)
            if let info = info { reflect(mesh.function, info.meshBindings) }
            return .render(state)
        }
        let descriptor = MTLRenderPipelineDescriptor()
        if let vertex = pass.vertex { descriptor.vertexFunction = try function(vertex, library) }
        if let fragment = pass.fragment { descriptor.fragmentFunction = try function(fragment, library) }
        for (n, c) in draw.colors.enumerated() { try color(descriptor.colorAttachments[n], c) }
        if let depth = draw.depth { descriptor.depthAttachmentPixelFormat = try texture(depth.texture).format }
        descriptor.rasterSampleCount = draw.samples
        if let topology = MTLPrimitiveTopologyClass(rawValue: draw.topologyClass) { descriptor.inputPrimitiveTopology = topology }
        if let attributes = pass.attributes, !attributes.isEmpty {
            let vertices = MTLVertexDescriptor()
            for a in attributes {
                guard let format = MTLVertexFormat(rawValue: a.format) else { throw Failure(text: "unknown vertex format \(a.format)") }
                vertices.attributes[a.index].format = format
                vertices.attributes[a.index].bufferIndex = a.buffer
                vertices.layouts[a.buffer].stride = a.stride
                vertices.layouts[a.buffer].stepFunction = a.perInstance ? .perInstance : .perVertex
            }
            descriptor.vertexDescriptor = vertices
        }
        if let t = draw.tessellation {
            if let partition = MTLTessellationPartitionMode(rawValue: t.partition) { descriptor.tessellationPartitionMode = partition }
            descriptor.tessellationFactorStepFunction = .perPatch
        }
        let (state, info) = try device.makeRenderPipelineState(descriptor: descriptor, options: options)
        if let info = info, let vertex = pass.vertex {
            reflect(vertex.function, info.vertexBindings)
            if let fragment = pass.fragment { reflect(fragment.function, info.fragmentBindings) }
        }
        return .render(state)
    }

    // MARK: Resources

    /// The description of a texture: pixel format, bytes per texel, sizes.
    func texture(_ name: String) throws -> (file: TextureFile, format: MTLPixelFormat) {
        guard let file = (test.textures ?? []).first(where: { $0.name == name }), let format = MTLPixelFormat(rawValue: file.format) else {
            throw Failure(text: "there is no texture \(name)")
        }
        return (file, format)
    }

    func contents(_ file: String) throws -> Data { try Data(contentsOf: folder.appendingPathComponent(file)) }

    func shared(_ data: Data) throws -> MTLBuffer {
        guard let buffer = device.makeBuffer(length: max(data.count, 16), options: .storageModeShared) else { throw Failure(text: "no buffer") }
        data.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { buffer.contents().copyMemory(from: base, byteCount: data.count) }
        }
        return buffer
    }

    func makeResources() throws {
        for b in test.buffers ?? [] { buffers[b.name] = try shared(contents(b.file)) }
        for s in test.samplers ?? [] {
            let descriptor = MTLSamplerDescriptor()
            if let a = MTLSamplerAddressMode(rawValue: s.address[0]) { descriptor.sAddressMode = a }
            if let a = MTLSamplerAddressMode(rawValue: s.address[1]) { descriptor.tAddressMode = a }
            if let a = MTLSamplerAddressMode(rawValue: s.address[2]) { descriptor.rAddressMode = a }
            if let f = MTLSamplerMinMagFilter(rawValue: s.min) { descriptor.minFilter = f }
            if let f = MTLSamplerMinMagFilter(rawValue: s.mag) { descriptor.magFilter = f }
            if let f = MTLSamplerMipFilter(rawValue: s.mip) { descriptor.mipFilter = f }
            if let c = s.compare, let compare = MTLCompareFunction(rawValue: c) { descriptor.compareFunction = compare }
            descriptor.supportArgumentBuffers = usesArgumentBuffers
            guard let state = device.makeSamplerState(descriptor: descriptor) else { throw Failure(text: "no sampler") }
            samplers[s.name] = state
        }
        for t in test.textures ?? [] { textures[t.name] = try makeTexture(t) }
    }

    var usesArgumentBuffers: Bool {
        let stages = (test.passes ?? []).flatMap { [$0.compute, $0.vertex, $0.object, $0.mesh, $0.fragment].compactMap { $0 } }
        return stages.contains { ($0.bindings ?? []).contains { $0.kind == "argument_buffer" } }
    }

    func makeTexture(_ t: TextureFile) throws -> MTLTexture {
        let descriptor = MTLTextureDescriptor()
        guard let type = MTLTextureType(rawValue: t.type) else { throw Failure(text: "unknown texture type \(t.type)") }
        descriptor.textureType = type
        descriptor.pixelFormat = try texture(t.name).format
        (descriptor.width, descriptor.height, descriptor.depth) = (t.size[0], t.size[1], t.size[2])
        (descriptor.arrayLength, descriptor.mipmapLevelCount, descriptor.sampleCount) = (t.length, t.levels, t.samples)
        descriptor.usage = MTLTextureUsage(rawValue: t.usage)
        if let name = t.buffer {
            descriptor.storageMode = .shared
            guard let buffer = buffers[name], let view = buffer.makeTexture(descriptor: descriptor, offset: 0, bytesPerRow: t.size[0] * t.texel) else {
                throw Failure(text: "no texture buffer")
            }
            return view
        }
        descriptor.storageMode = .private
        guard let made = device.makeTexture(descriptor: descriptor) else { throw Failure(text: "no texture") }
        if let file = t.file {
            let staging = try shared(contents(file))
            try blit(t) { encoder, level, slice, offset, size, row, image in
                encoder.copy(from: staging, sourceOffset: offset, sourceBytesPerRow: row, sourceBytesPerImage: image, sourceSize: size,
                             to: made, destinationSlice: slice, destinationLevel: level, destinationOrigin: MTLOrigin(x: 0, y: 0, z: 0))
            }
        }
        return made
    }

    /// Calls `body` for each image of a texture: level, slice, offset in the file, size, bytes per row and image.
    func blit(_ t: TextureFile, _ body: (MTLBlitCommandEncoder, Int, Int, Int, MTLSize, Int, Int) -> Void) throws {
        guard let commands = queue.makeCommandBuffer(), let encoder = commands.makeBlitCommandEncoder() else { throw Failure(text: "no encoder") }
        var offset = 0
        for level in 0..<t.levels {
            let size = MTLSize(width: max(t.size[0] >> level, 1), height: max(t.size[1] >> level, 1), depth: max(t.size[2] >> level, 1))
            let row = size.width * t.texel, image = row * size.height
            for slice in 0..<t.slices {
                body(encoder, level, slice, offset, size, row, image)
                offset += image * size.depth
            }
        }
        encoder.endEncoding()
        try finish(commands)
    }

    lazy var queue: MTLCommandQueue = device.makeCommandQueue()!

    func finish(_ commands: MTLCommandBuffer) throws {
        commands.commit()
        commands.waitUntilCompleted()
        if let error = commands.error { throw error }
    }

    func readBack(_ name: String) throws {
        let data: Data
        if let buffer = buffers[name], let file = (test.buffers ?? []).first(where: { $0.name == name }) {
            data = Data(bytes: buffer.contents(), count: try contents(file.file).count)
        } else {
            let t = try texture(name).file
            guard let source = textures[name] else { throw Failure(text: "there is no texture \(name)") }
            var length = 0
            for level in 0..<t.levels { length += t.slices * t.texel * max(t.size[0] >> level, 1) * max(t.size[1] >> level, 1) * max(t.size[2] >> level, 1) }
            let target = try shared(Data(count: length))
            try blit(t) { encoder, level, slice, offset, size, row, image in
                encoder.copy(from: source, sourceSlice: slice, sourceLevel: level, sourceOrigin: MTLOrigin(x: 0, y: 0, z: 0), sourceSize: size,
                             to: target, destinationOffset: offset, destinationBytesPerRow: row, destinationBytesPerImage: image)
            }
            data = Data(bytes: target.contents(), count: length)
        }
        try data.write(to: results.appendingPathComponent(name + ".bin"))
        outputs.append(["resource": name, "file": name + ".bin"])
    }

    // MARK: Passes

    struct Setters {
        let buffer: (MTLBuffer, Int) -> Void, texture: (MTLTexture, Int) -> Void, sampler: (MTLSamplerState, Int) -> Void
        let use: (MTLResource) -> Void
    }

    func bind(_ stage: StageCase?, _ set: Setters) throws {
        for b in stage?.bindings ?? [] {
            let name = b.resource ?? ""
            switch b.kind {
            case "argument_buffer":
                let table = try shared(Data(count: b.size ?? 0))
                for m in b.members ?? [] {
                    let at = m.index * 8, resource = m.resource ?? ""
                    if m.kind == "buffer", let buffer = buffers[resource] {
                        table.contents().storeBytes(of: buffer.gpuAddress, toByteOffset: at, as: UInt64.self)
                        set.use(buffer)
                    } else if m.kind == "texture", let texture = textures[resource] {
                        table.contents().storeBytes(of: texture.gpuResourceID, toByteOffset: at, as: MTLResourceID.self)
                        set.use(texture)
                    } else if let sampler = samplers[resource] {
                        table.contents().storeBytes(of: sampler.gpuResourceID, toByteOffset: at, as: MTLResourceID.self)
                    } else { throw Failure(text: "there is no resource \(resource)") }
                }
                set.buffer(table, b.index)
            case "buffer":
                guard let buffer = buffers[name] else { throw Failure(text: "there is no buffer \(name)") }
                set.buffer(buffer, b.index)
            case "texture":
                guard let texture = textures[name] else { throw Failure(text: "there is no texture \(name)") }
                set.texture(texture, b.index)
            default:
                guard let sampler = samplers[name] else { throw Failure(text: "there is no sampler \(name)") }
                set.sampler(sampler, b.index)
            }
        }
    }

    func size(_ n: [Int]) -> MTLSize { MTLSize(width: n[0], height: n[1], depth: n[2]) }

    func execute(_ pass: Pass, _ pipeline: Pipeline) throws {
        guard let commands = queue.makeCommandBuffer() else { throw Failure(text: "no command buffer") }
        switch pipeline {
        case .compute(let state):
            guard let encoder = commands.makeComputeCommandEncoder() else { throw Failure(text: "no encoder") }
            encoder.setComputePipelineState(state)
            try bind(pass.compute, Setters(
                buffer: { encoder.setBuffer($0, offset: 0, index: $1) }, texture: { encoder.setTexture($0, index: $1) },
                sampler: { encoder.setSamplerState($0, index: $1) }, use: { encoder.useResource($0, usage: [.read, .write]) }))
            encoder.dispatchThreadgroups(size(pass.groups), threadsPerThreadgroup: size(pass.threads))
            encoder.endEncoding()
        case .render(let state):
            guard let draw = pass.draw else { throw Failure(text: "a pass without draw") }
            guard let encoder = commands.makeRenderCommandEncoder(descriptor: try attachments(draw)) else { throw Failure(text: "no encoder") }
            encoder.setRenderPipelineState(state)
            try render(pass, draw, encoder)
            encoder.endEncoding()
        }
        try finish(commands)
    }

    func attachments(_ draw: DrawCase) throws -> MTLRenderPassDescriptor {
        let pass = MTLRenderPassDescriptor()
        for (n, c) in draw.colors.enumerated() {
            let target = pass.colorAttachments[n]!
            target.texture = textures[c.texture]
            target.loadAction = .clear
            target.clearColor = MTLClearColor(red: c.clear[0], green: c.clear[1], blue: c.clear[2], alpha: c.clear[3])
            target.storeAction = .store
            if let resolve = c.resolve {
                target.resolveTexture = textures[resolve]
                target.storeAction = .multisampleResolve
            }
        }
        if let depth = draw.depth {
            pass.depthAttachment.texture = textures[depth.texture]
            pass.depthAttachment.loadAction = .clear
            pass.depthAttachment.clearDepth = depth.clear
            pass.depthAttachment.storeAction = .store
        }
        if draw.layers > 0 { pass.renderTargetArrayLength = draw.layers }
        return pass
    }

    func render(_ pass: Pass, _ draw: DrawCase, _ encoder: MTLRenderCommandEncoder) throws {
        if let depth = draw.depth, let compare = MTLCompareFunction(rawValue: depth.compare) {
            let descriptor = MTLDepthStencilDescriptor()
            descriptor.depthCompareFunction = compare
            descriptor.isDepthWriteEnabled = true
            encoder.setDepthStencilState(device.makeDepthStencilState(descriptor: descriptor))
        }
        if let cull = MTLCullMode(rawValue: draw.cull) { encoder.setCullMode(cull) }
        if let winding = MTLWinding(rawValue: draw.winding) { encoder.setFrontFacing(winding) }
        try bind(pass.vertex, Setters(
            buffer: { encoder.setVertexBuffer($0, offset: 0, index: $1) }, texture: { encoder.setVertexTexture($0, index: $1) },
            sampler: { encoder.setVertexSamplerState($0, index: $1) }, use: { encoder.useResource($0, usage: [.read, .write], stages: .vertex) }))
        try bind(pass.fragment, Setters(
            buffer: { encoder.setFragmentBuffer($0, offset: 0, index: $1) }, texture: { encoder.setFragmentTexture($0, index: $1) },
            sampler: { encoder.setFragmentSamplerState($0, index: $1) }, use: { encoder.useResource($0, usage: [.read, .write], stages: .fragment) }))
        for a in pass.attributes ?? [] { encoder.setVertexBuffer(buffers[a.resource], offset: 0, index: a.buffer) }
        if pass.mesh != nil {
            encoder.drawMeshThreadgroups(size(draw.meshGroups), threadsPerObjectThreadgroup: size(draw.meshThreads[0].map { max($0, 1) }),
                                         threadsPerMeshThreadgroup: size(draw.meshThreads[1]))
            return
        }
        if let t = draw.tessellation {
            encoder.setTessellationFactorBuffer(buffers[t.factors], offset: 0, instanceStride: 0)
            encoder.drawPatches(numberOfPatchControlPoints: 0, patchStart: 0, patchCount: t.patches, patchIndexBuffer: nil,
                                patchIndexBufferOffset: 0, instanceCount: 1, baseInstance: 0)
            return
        }
        guard let topology = MTLPrimitiveType(rawValue: draw.topology) else { throw Failure(text: "unknown topology \(draw.topology)") }
        if let i = draw.indices {
            guard let type = MTLIndexType(rawValue: i.type), let buffer = buffers[i.resource] else { throw Failure(text: "no indices") }
            encoder.drawIndexedPrimitives(type: topology, indexCount: draw.vertices, indexType: type, indexBuffer: buffer, indexBufferOffset: 0,
                                          instanceCount: draw.instances, baseVertex: i.baseVertex, baseInstance: 0)
        } else {
            encoder.drawPrimitives(type: topology, vertexStart: 0, vertexCount: draw.vertices, instanceCount: draw.instances)
        }
    }
}

// MARK: - All cases

func output(_ program: String, _ arguments: [String]) -> String {
    let process = Process(), pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = pipe
    guard (try? process.run()) != nil else { return "" }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
}

let reports = FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent("Library/Logs/DiagnosticReports")

/// Crash reports of Metal's compiler service.
func crashReports() -> [URL] {
    let all = (try? FileManager.default.contentsOfDirectory(at: reports, includingPropertiesForKeys: nil)) ?? []
    return all.filter { $0.lastPathComponent.hasPrefix("MTLCompilerService") && $0.pathExtension == "ips" }
}

/// Moves crash reports to a folder, since the system writes only a few; gives the first lines of them.
func collectCrashReports(_ folder: URL) -> [String] {
    var lines: [String] = []
    for report in crashReports() {
        let text = (try? String(contentsOf: report, encoding: .utf8)) ?? ""
        lines += text.split(separator: "\n").prefix(40).map(String.init)
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try? FileManager.default.moveItem(at: report, to: folder.appendingPathComponent(report.lastPathComponent))
    }
    return lines
}

/// Runs a case in a process of its own.
func spawn(_ program: URL, _ kit: URL, _ name: String, _ variant: String, _ results: URL) {
    try? FileManager.default.removeItem(at: results)
    try? FileManager.default.createDirectory(at: results, withIntermediateDirectories: true)
    let log = results.appendingPathComponent("log.txt")
    FileManager.default.createFile(atPath: log.path, contents: nil)
    let process = Process(), ended = DispatchSemaphore(value: 0)
    process.executableURL = program
    process.arguments = ["--case", kit.path, name, variant]
    var environment = ProcessInfo.processInfo.environment
    if variant == "checked" {
        environment["MTL_DEBUG_LAYER"] = "1"
        environment["MTL_SHADER_VALIDATION"] = "1"
    }
    process.environment = environment
    process.standardError = try? FileHandle(forWritingTo: log)
    process.terminationHandler = { _ in ended.signal() }
    var timeout = false
    do { try process.run() } catch { return }
    if ended.wait(timeout: .now() + 20) == .timedOut {
        timeout = true
        kill(process.processIdentifier, SIGKILL)
        ended.wait()
    }
    let text = String(decoding: ((try? Data(contentsOf: log)) ?? Data()).prefix(4000), as: UTF8.self)
    let signal = process.terminationReason == .uncaughtSignal ? process.terminationStatus : 0
    writeJSON(["status": signal == 0 ? process.terminationStatus : 0, "signal": signal, "timeout": timeout, "log": text,
               "crash": collectCrashReports(kit.appendingPathComponent("results/crash-reports"))], results.appendingPathComponent("exit.json"))
}

/// The path of a tool of Apple's Metal toolchain, which is not part of the Command Line Tools.
func tool(_ name: String) -> String? {
    let path = output("/usr/bin/xcrun", ["-f", name])
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
}

/// Runs a tool on a file; the exit status and the start of its messages. What it prints is not kept.
func ask(_ program: String, _ arguments: [String]) -> (status: Int32, text: String) {
    let process = Process(), messages = Pipe(), ended = DispatchSemaphore(value: 0)
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = messages
    process.terminationHandler = { _ in ended.signal() }
    guard (try? process.run()) != nil else { return (-1, "the tool cannot be started") }
    DispatchQueue.global().asyncAfter(deadline: .now() + 20) { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    let data = messages.fileHandleForReading.readDataToEndOfFile()
    ended.wait()
    return (process.terminationStatus, String(decoding: data.prefix(2000), as: UTF8.self))
}

/// Records the answers of `air-opt` about the modules of a case, and of `metal-objdump` about its library.
func askTools(_ folder: URL, _ verifier: String?, _ dumper: String?, _ results: URL) {
    var answers: [[String: Any]] = []
    let modules = folder.appendingPathComponent("modules")
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: modules.path)) ?? []).sorted()
    if let verifier = verifier, !names.isEmpty {
        let all = names.map { ask(verifier, ["-verify", modules.appendingPathComponent($0).path, "-o", "/dev/null"]) }
        let worst = all.first { $0.status != 0 } ?? all[0]
        answers.append(["tool": "air-opt -verify", "status": worst.status, "text": worst.text])
    }
    if let dumper = dumper, !names.isEmpty {
        let answer = ask(dumper, ["-d", folder.appendingPathComponent("lib.metallib").path])
        answers.append(["tool": "metal-objdump -d", "status": answer.status, "text": answer.text])
    }
    if answers.isEmpty { return }
    try? FileManager.default.createDirectory(at: results, withIntermediateDirectories: true)
    if let data = try? JSONSerialization.data(withJSONObject: answers, options: [.prettyPrinted, .sortedKeys]) {
        try? data.write(to: results.appendingPathComponent("tools.json"))
    }
}

func describeDevice(_ device: MTLDevice, _ file: URL) {
    let families = (Array(1001...1012) + [2002, 3001, 3002, 3003, 5001, 5002]).filter { raw in
        MTLGPUFamily(rawValue: raw).map { device.supportsFamily($0) } ?? false
    }
    var virtual: Int32 = 0, size = MemoryLayout<Int32>.size
    sysctlbyname("kern.hv_vmm_present", &virtual, &size, nil, 0)
    let v = ProcessInfo.processInfo.operatingSystemVersion
    writeJSON(["runner": "check.swift", "device": device.name, "macos": "\(v.majorVersion).\(v.minorVersion).\(v.patchVersion)",
               "build": output("/usr/bin/sw_vers", ["-buildVersion"]), "families": families,
               "paravirtual": virtual != 0 || device.name.contains("Paravirtual")], file)
}

func fail(_ text: String) -> Never {
    FileHandle.standardError.write((text + "\n").data(using: .utf8)!)
    exit(2)
}

let arguments = CommandLine.arguments
guard let device = firstDevice() else { fail("this Mac has no Metal device") }

if arguments.count == 5, arguments[1] == "--case" {
    let folder = URL(fileURLWithPath: arguments[2]).appendingPathComponent("cases").appendingPathComponent(arguments[3])
    let results = URL(fileURLWithPath: arguments[2]).appendingPathComponent("results").appendingPathComponent(arguments[3]).appendingPathComponent(arguments[4])
    do { Runner(device, try readCase(folder), folder, results).run(control: arguments[4] == "control") } catch { fail("\(error)") }
    exit(0)
}

if arguments.count < 2 { fail("usage: swift check.swift KIT [NAME...]") }
let kit = URL(fileURLWithPath: arguments[1])
var program = URL(fileURLWithPath: arguments[0])
if program.pathExtension == "swift" {
    // Interpreted: compiled once, so that each case starts at once.
    let compiled = kit.appendingPathComponent("check")
    print(output("/usr/bin/xcrun", ["swiftc", "-O", program.path, "-o", compiled.path]))
    if !FileManager.default.isExecutableFile(atPath: compiled.path) { fail("swiftc could not compile \(program.path)") }
    program = compiled
}
let results = kit.appendingPathComponent("results")
try? FileManager.default.createDirectory(at: results, withIntermediateDirectories: true)
describeDevice(device, results.appendingPathComponent("device.json"))
_ = collectCrashReports(results.appendingPathComponent("older-crash-reports"))
let names = ((try? FileManager.default.contentsOfDirectory(atPath: kit.appendingPathComponent("cases").path)) ?? []).sorted()
let wanted = names.filter { name in arguments.count == 2 || arguments[2...].contains { name.contains($0) } }
let verifier = tool("air-opt"), dumper = tool("metal-objdump")
for name in wanted {
    askTools(kit.appendingPathComponent("cases").appendingPathComponent(name), verifier, dumper, results.appendingPathComponent(name))
    guard let test = try? readCase(kit.appendingPathComponent("cases").appendingPathComponent(name)) else {
        print("\(name): case.json cannot be read")
        continue
    }
    // Whether the device fits is the judge's decision as well; without it the libraries are not even loaded.
    if ProcessInfo.processInfo.operatingSystemVersion.majorVersion < test.requires.macos { continue }
    if let family = test.requires.family, !(MTLGPUFamily(rawValue: family).map { device.supportsFamily($0) } ?? false) { continue }
    let variants = (test.control == nil ? [] : ["control"]) + ["plain", "checked"]
    for variant in variants { spawn(program, kit, name, variant, results.appendingPathComponent(name).appendingPathComponent(variant)) }
    print(name)
}
print("done: airfoil kit report \(kit.path)")
