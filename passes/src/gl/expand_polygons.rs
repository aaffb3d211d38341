//! Draws the triangles of a geometry shader as their edges or corners (`glPolygonMode`).
//!
//! Requires form `slots` or `target` and preserves the form. Each triangle that the shader emits becomes lines, or points with
//! `points` (OpenGL 4.6 section 14.6.4). Triangles are culled here, since Metal does not cull lines and points: the driver's block
//! ([`util::driver_values`](mod@crate::util::driver_values)) has the culled faces and the winding of front faces. The face of a
//! triangle follows from its homogeneous coordinates, so that vertices behind the eye do not change it.
//!
//! * An output at slot `edge` is the edge flag: zero if the edge from this vertex to the next one of the triangle is not a boundary
//!   edge; then neither the edge nor the point at its start is drawn (compatibility profile, section 14.6.2). Without such
//!   an output all edges are drawn, as one strip, whose line stipple continues.
//! * `slot` is the generic location of a varying with the face of the triangle: 1 for front faces
//!   ([`lower_front_face`](crate::gl::lower_front_face)).
//! * Outputs in `flat`, integers, the layer and the like have the value of the provoking vertex of the triangle.
//!
//! Edges that clipping adds are not drawn. Run `vars_to_ssa` and clean-up passes afterwards, and
//! [`expand_lines`](crate::gl::expand_lines) for lines of other widths.
//!
//! Source: OpenGL 4.6 compatibility profile, section 14.6; the sign of the homogeneous determinant is that of Olano and Greer,
//! "Triangle Scan Conversion using 2D Homogeneous Coordinates" (1997).
//!
//! ```foil-example (points=true)
//! foil 1
//! shader geometry "t" {
//!   form slots
//!   input_primitive triangles
//!   output_primitive triangle_strip
//!   max_vertices 3
//!   invocations 1
//!   in vec4[3] p location=position
//!   out vec4 q location=position
//!   out float size location=point_size
//!   out uint e location=edge
//!   fn main {
//!     32x1 %zero = const 0
//!     32x1 %one = const 1
//!     32x1 %two = const 2
//!     32x1 %s = const 2.0
//!     store_output %s, %zero io=point_size mask=x src_type=float32
//!     store_output %one, %zero io=edge mask=x src_type=uint32
//!     32x4 %p0 = load_per_vertex_input %zero, %zero io=position dest_type=float32
//!     store_output %p0, %zero io=position mask=xyzw src_type=float32
//!     emit_vertex stream=0
//!     32x4 %p1 = load_per_vertex_input %one, %zero io=position dest_type=float32
//!     store_output %p1, %zero io=position mask=xyzw src_type=float32
//!     emit_vertex stream=0
//!     32x4 %p2 = load_per_vertex_input %two, %zero io=position dest_type=float32
//!     store_output %p2, %zero io=position mask=xyzw src_type=float32
//!     emit_vertex stream=0
//!   }
//! }
//! =>
//! foil 1
//! shader geometry "t" {
//!   form slots
//!   input_primitive triangles
//!   output_primitive points
//!   max_vertices 3
//!   invocations 1
//!   in vec4[3] p location=position
//!   out vec4 q location=position
//!   out float size location=point_size
//!   ubo driver {
//!     float height @0
//!     float width @4
//!     float alpha_reference @8
//!     uint sample_mask @12
//!     float point_size @16
//!     float point_size_min @20
//!     float point_size_max @24
//!     uint clip_enable @28
//!     vec4 fog_color @32
//!     vec4 fog_parameters @48
//!     vec4[8 stride=16] clip_planes @64
//!     uvec4[8 stride=16] polygon_stipple @192
//!     vec2 viewport @320
//!     float line_width @328
//!     uint line_stipple @332
//!     uint faces @336
//!     uint polygon_triangles @340
//!     uvec2 reserved @344
//!   } driver set=65535 binding=18
//!
//!   fn main {
//!     function_temp uvec4[3] vertex
//!     function_temp uvec4[3] "vertex.1"
//!     function_temp uvec4[3] "vertex.2"
//!     function_temp uint strip_vertices
//!   b0:
//!     %0 = deref_var &strip_vertices
//!     32x1 %1 = const 0
//!     store_deref %0, %1 mask=x
//!     32x1 %2 = const 0
//!     32x1 %3 = const 1
//!     32x1 %4 = const 2
//!     32x1 %5 = const 2.0
//!     %6 = deref_var &vertex
//!     32x1 %7 = const 1
//!     %8 = deref_array %6[%7]
//!     32x1 %9 = undef
//!     32x4 %10 = vec4 %5, %9, %9, %9
//!     store_deref %8, %10 mask=x
//!     %11 = deref_var &vertex
//!     32x1 %12 = const 2
//!     %13 = deref_array %11[%12]
//!     32x1 %14 = undef
//!     32x4 %15 = vec4 %3, %14, %14, %14
//!     store_deref %13, %15 mask=x
//!     32x4 %16 = load_per_vertex_input %2, %2 io=position dest_type=float32
//!     %17 = deref_var &vertex
//!     32x1 %18 = const 0
//!     %19 = deref_array %17[%18]
//!     32x1 %20 = undef
//!     32x1 %21 = mov %16.x
//!     32x1 %22 = mov %16.y
//!     32x1 %23 = mov %16.z
//!     32x1 %24 = mov %16.w
//!     32x4 %25 = vec4 %21, %22, %23, %24
//!     store_deref %19, %25 mask=xyzw
//!     %26 = deref_var &strip_vertices
//!     32x1 %27 = load_deref %26
//!     32x1 %28 = const 2
//!     1x1 %29 = uge %27, %28
//!     if %29 {
//!     b1:
//!       %30 = deref_var &"vertex.2"
//!       32x1 %31 = const 0
//!       %32 = deref_array %30[%31]
//!       32x4 %33 = load_deref %32
//!       32x3 %34 = mov %33.xyw
//!       %35 = deref_var &"vertex.1"
//!       32x1 %36 = const 0
//!       %37 = deref_array %35[%36]
//!       32x4 %38 = load_deref %37
//!       32x3 %39 = mov %38.xyw
//!       %40 = deref_var &vertex
//!       32x1 %41 = const 0
//!       %42 = deref_array %40[%41]
//!       32x4 %43 = load_deref %42
//!       32x3 %44 = mov %43.xyw
//!       32x3 %45 = mov %39.yzx
//!       32x3 %46 = mov %44.zxy
//!       32x3 %47 = mov %39.zxy
//!       32x3 %48 = mov %44.yzx
//!       32x3 %49 = fmul %45, %46
//!       32x3 %50 = fmul %47, %48
//!       32x3 %51 = fsub %49, %50
//!       32x1 %52 = fdot3 %34, %51
//!       32x1 %53 = const 0
//!       1x1 %54 = flt %53, %52
//!       1x1 %55 = flt %52, %53
//!       32x1 %56 = const 1
//!       32x1 %57 = const 0
//!       32x1 %58 = iand %27, %56
//!       1x1 %59 = ine %58, %57
//!       1x1 %60 = bcsel %59, %55, %54
//!       %61 = deref_var &driver
//!       32x1 %62 = const 336
//!       32x1 %63 = load_ubo %61, %62 align=4
//!       32x1 %64 = const 4
//!       32x1 %65 = iand %63, %64
//!       1x1 %66 = ine %65, %57
//!       1x1 %67 = ixor %60, %66
//!       %68 = deref_var &driver
//!       32x1 %69 = const 336
//!       32x1 %70 = load_ubo %68, %69 align=4
//!       32x1 %71 = const 0
//!       32x1 %72 = const 1
//!       32x1 %73 = const 2
//!       32x1 %74 = bcsel %67, %72, %73
//!       32x1 %75 = iand %70, %74
//!       1x1 %76 = ieq %75, %71
//!       if %76 {
//!       b2:
//!         %77 = deref_var &"vertex.2"
//!         32x1 %78 = const 2
//!         %79 = deref_array %77[%78]
//!         32x4 %80 = load_deref %79
//!         32x1 %81 = mov %80.x
//!         32x1 %82 = const 0
//!         1x1 %83 = ine %81, %82
//!         if %83 {
//!         b3:
//!           %84 = deref_var &"vertex.2"
//!           32x1 %85 = const 0
//!           %86 = deref_array %84[%85]
//!           32x4 %87 = load_deref %86
//!           32x1 %88 = const 0
//!           store_output %87, %88 io=position mask=xyzw src_type=float32
//!           %89 = deref_var &"vertex.2"
//!           32x1 %90 = const 1
//!           %91 = deref_array %89[%90]
//!           32x4 %92 = load_deref %91
//!           32x1 %93 = mov %92.x
//!           32x1 %94 = const 0
//!           store_output %93, %94 io=point_size mask=x src_type=float32
//!           emit_vertex
//!         }
//!       b4:
//!         %95 = deref_var &"vertex.1"
//!         32x1 %96 = const 2
//!         %97 = deref_array %95[%96]
//!         32x4 %98 = load_deref %97
//!         32x1 %99 = mov %98.x
//!         32x1 %100 = const 0
//!         1x1 %101 = ine %99, %100
//!         if %101 {
//!         b5:
//!           %102 = deref_var &"vertex.1"
//!           32x1 %103 = const 0
//!           %104 = deref_array %102[%103]
//!           32x4 %105 = load_deref %104
//!           32x1 %106 = const 0
//!           store_output %105, %106 io=position mask=xyzw src_type=float32
//!           %107 = deref_var &"vertex.1"
//!           32x1 %108 = const 1
//!           %109 = deref_array %107[%108]
//!           32x4 %110 = load_deref %109
//!           32x1 %111 = mov %110.x
//!           32x1 %112 = const 0
//!           store_output %111, %112 io=point_size mask=x src_type=float32
//!           emit_vertex
//!         }
//!       b6:
//!         %113 = deref_var &vertex
//!         32x1 %114 = const 2
//!         %115 = deref_array %113[%114]
//!         32x4 %116 = load_deref %115
//!         32x1 %117 = mov %116.x
//!         32x1 %118 = const 0
//!         1x1 %119 = ine %117, %118
//!         if %119 {
//!         b7:
//!           %120 = deref_var &vertex
//!           32x1 %121 = const 0
//!           %122 = deref_array %120[%121]
//!           32x4 %123 = load_deref %122
//!           32x1 %124 = const 0
//!           store_output %123, %124 io=position mask=xyzw src_type=float32
//!           %125 = deref_var &vertex
//!           32x1 %126 = const 1
//!           %127 = deref_array %125[%126]
//!           32x4 %128 = load_deref %127
//!           32x1 %129 = mov %128.x
//!           32x1 %130 = const 0
//!           store_output %129, %130 io=point_size mask=x src_type=float32
//!           emit_vertex
//!         }
//!       b8:
//!       }
//!     b9:
//!     }
//!   b10:
//!     %131 = deref_var &"vertex.1"
//!     32x1 %132 = const 0
//!     %133 = deref_array %131[%132]
//!     32x4 %134 = load_deref %133
//!     %135 = deref_var &"vertex.2"
//!     32x1 %136 = const 0
//!     %137 = deref_array %135[%136]
//!     store_deref %137, %134 mask=xyzw
//!     %138 = deref_var &"vertex.1"
//!     32x1 %139 = const 1
//!     %140 = deref_array %138[%139]
//!     32x4 %141 = load_deref %140
//!     %142 = deref_var &"vertex.2"
//!     32x1 %143 = const 1
//!     %144 = deref_array %142[%143]
//!     store_deref %144, %141 mask=xyzw
//!     %145 = deref_var &"vertex.1"
//!     32x1 %146 = const 2
//!     %147 = deref_array %145[%146]
//!     32x4 %148 = load_deref %147
//!     %149 = deref_var &"vertex.2"
//!     32x1 %150 = const 2
//!     %151 = deref_array %149[%150]
//!     store_deref %151, %148 mask=xyzw
//!     %152 = deref_var &vertex
//!     32x1 %153 = const 0
//!     %154 = deref_array %152[%153]
//!     32x4 %155 = load_deref %154
//!     %156 = deref_var &"vertex.1"
//!     32x1 %157 = const 0
//!     %158 = deref_array %156[%157]
//!     store_deref %158, %155 mask=xyzw
//!     %159 = deref_var &vertex
//!     32x1 %160 = const 1
//!     %161 = deref_array %159[%160]
//!     32x4 %162 = load_deref %161
//!     %163 = deref_var &"vertex.1"
//!     32x1 %164 = const 1
//!     %165 = deref_array %163[%164]
//!     store_deref %165, %162 mask=xyzw
//!     %166 = deref_var &vertex
//!     32x1 %167 = const 2
//!     %168 = deref_array %166[%167]
//!     32x4 %169 = load_deref %168
//!     %170 = deref_var &"vertex.1"
//!     32x1 %171 = const 2
//!     %172 = deref_array %170[%171]
//!     store_deref %172, %169 mask=xyzw
//!     %173 = deref_var &strip_vertices
//!     32x1 %174 = load_deref %173
//!     32x1 %175 = const 1
//!     32x1 %176 = iadd %174, %175
//!     %177 = deref_var &strip_vertices
//!     store_deref %177, %176 mask=x
//!     32x4 %178 = load_per_vertex_input %3, %2 io=position dest_type=float32
//!     %179 = deref_var &vertex
//!     32x1 %180 = const 0
//!     %181 = deref_array %179[%180]
//!     32x1 %182 = undef
//!     32x1 %183 = mov %178.x
//!     32x1 %184 = mov %178.y
//!     32x1 %185 = mov %178.z
//!     32x1 %186 = mov %178.w
//!     32x4 %187 = vec4 %183, %184, %185, %186
//!     store_deref %181, %187 mask=xyzw
//!     %188 = deref_var &strip_vertices
//!     32x1 %189 = load_deref %188
//!     32x1 %190 = const 2
//!     1x1 %191 = uge %189, %190
//!     if %191 {
//!     b11:
//!       %192 = deref_var &"vertex.2"
//!       32x1 %193 = const 0
//!       %194 = deref_array %192[%193]
//!       32x4 %195 = load_deref %194
//!       32x3 %196 = mov %195.xyw
//!       %197 = deref_var &"vertex.1"
//!       32x1 %198 = const 0
//!       %199 = deref_array %197[%198]
//!       32x4 %200 = load_deref %199
//!       32x3 %201 = mov %200.xyw
//!       %202 = deref_var &vertex
//!       32x1 %203 = const 0
//!       %204 = deref_array %202[%203]
//!       32x4 %205 = load_deref %204
//!       32x3 %206 = mov %205.xyw
//!       32x3 %207 = mov %201.yzx
//!       32x3 %208 = mov %206.zxy
//!       32x3 %209 = mov %201.zxy
//!       32x3 %210 = mov %206.yzx
//!       32x3 %211 = fmul %207, %208
//!       32x3 %212 = fmul %209, %210
//!       32x3 %213 = fsub %211, %212
//!       32x1 %214 = fdot3 %196, %213
//!       32x1 %215 = const 0
//!       1x1 %216 = flt %215, %214
//!       1x1 %217 = flt %214, %215
//!       32x1 %218 = const 1
//!       32x1 %219 = const 0
//!       32x1 %220 = iand %189, %218
//!       1x1 %221 = ine %220, %219
//!       1x1 %222 = bcsel %221, %217, %216
//!       %223 = deref_var &driver
//!       32x1 %224 = const 336
//!       32x1 %225 = load_ubo %223, %224 align=4
//!       32x1 %226 = const 4
//!       32x1 %227 = iand %225, %226
//!       1x1 %228 = ine %227, %219
//!       1x1 %229 = ixor %222, %228
//!       %230 = deref_var &driver
//!       32x1 %231 = const 336
//!       32x1 %232 = load_ubo %230, %231 align=4
//!       32x1 %233 = const 0
//!       32x1 %234 = const 1
//!       32x1 %235 = const 2
//!       32x1 %236 = bcsel %229, %234, %235
//!       32x1 %237 = iand %232, %236
//!       1x1 %238 = ieq %237, %233
//!       if %238 {
//!       b12:
//!         %239 = deref_var &"vertex.2"
//!         32x1 %240 = const 2
//!         %241 = deref_array %239[%240]
//!         32x4 %242 = load_deref %241
//!         32x1 %243 = mov %242.x
//!         32x1 %244 = const 0
//!         1x1 %245 = ine %243, %244
//!         if %245 {
//!         b13:
//!           %246 = deref_var &"vertex.2"
//!           32x1 %247 = const 0
//!           %248 = deref_array %246[%247]
//!           32x4 %249 = load_deref %248
//!           32x1 %250 = const 0
//!           store_output %249, %250 io=position mask=xyzw src_type=float32
//!           %251 = deref_var &"vertex.2"
//!           32x1 %252 = const 1
//!           %253 = deref_array %251[%252]
//!           32x4 %254 = load_deref %253
//!           32x1 %255 = mov %254.x
//!           32x1 %256 = const 0
//!           store_output %255, %256 io=point_size mask=x src_type=float32
//!           emit_vertex
//!         }
//!       b14:
//!         %257 = deref_var &"vertex.1"
//!         32x1 %258 = const 2
//!         %259 = deref_array %257[%258]
//!         32x4 %260 = load_deref %259
//!         32x1 %261 = mov %260.x
//!         32x1 %262 = const 0
//!         1x1 %263 = ine %261, %262
//!         if %263 {
//!         b15:
//!           %264 = deref_var &"vertex.1"
//!           32x1 %265 = const 0
//!           %266 = deref_array %264[%265]
//!           32x4 %267 = load_deref %266
//!           32x1 %268 = const 0
//!           store_output %267, %268 io=position mask=xyzw src_type=float32
//!           %269 = deref_var &"vertex.1"
//!           32x1 %270 = const 1
//!           %271 = deref_array %269[%270]
//!           32x4 %272 = load_deref %271
//!           32x1 %273 = mov %272.x
//!           32x1 %274 = const 0
//!           store_output %273, %274 io=point_size mask=x src_type=float32
//!           emit_vertex
//!         }
//!       b16:
//!         %275 = deref_var &vertex
//!         32x1 %276 = const 2
//!         %277 = deref_array %275[%276]
//!         32x4 %278 = load_deref %277
//!         32x1 %279 = mov %278.x
//!         32x1 %280 = const 0
//!         1x1 %281 = ine %279, %280
//!         if %281 {
//!         b17:
//!           %282 = deref_var &vertex
//!           32x1 %283 = const 0
//!           %284 = deref_array %282[%283]
//!           32x4 %285 = load_deref %284
//!           32x1 %286 = const 0
//!           store_output %285, %286 io=position mask=xyzw src_type=float32
//!           %287 = deref_var &vertex
//!           32x1 %288 = const 1
//!           %289 = deref_array %287[%288]
//!           32x4 %290 = load_deref %289
//!           32x1 %291 = mov %290.x
//!           32x1 %292 = const 0
//!           store_output %291, %292 io=point_size mask=x src_type=float32
//!           emit_vertex
//!         }
//!       b18:
//!       }
//!     b19:
//!     }
//!   b20:
//!     %293 = deref_var &"vertex.1"
//!     32x1 %294 = const 0
//!     %295 = deref_array %293[%294]
//!     32x4 %296 = load_deref %295
//!     %297 = deref_var &"vertex.2"
//!     32x1 %298 = const 0
//!     %299 = deref_array %297[%298]
//!     store_deref %299, %296 mask=xyzw
//!     %300 = deref_var &"vertex.1"
//!     32x1 %301 = const 1
//!     %302 = deref_array %300[%301]
//!     32x4 %303 = load_deref %302
//!     %304 = deref_var &"vertex.2"
//!     32x1 %305 = const 1
//!     %306 = deref_array %304[%305]
//!     store_deref %306, %303 mask=xyzw
//!     %307 = deref_var &"vertex.1"
//!     32x1 %308 = const 2
//!     %309 = deref_array %307[%308]
//!     32x4 %310 = load_deref %309
//!     %311 = deref_var &"vertex.2"
//!     32x1 %312 = const 2
//!     %313 = deref_array %311[%312]
//!     store_deref %313, %310 mask=xyzw
//!     %314 = deref_var &vertex
//!     32x1 %315 = const 0
//!     %316 = deref_array %314[%315]
//!     32x4 %317 = load_deref %316
//!     %318 = deref_var &"vertex.1"
//!     32x1 %319 = const 0
//!     %320 = deref_array %318[%319]
//!     store_deref %320, %317 mask=xyzw
//!     %321 = deref_var &vertex
//!     32x1 %322 = const 1
//!     %323 = deref_array %321[%322]
//!     32x4 %324 = load_deref %323
//!     %325 = deref_var &"vertex.1"
//!     32x1 %326 = const 1
//!     %327 = deref_array %325[%326]
//!     store_deref %327, %324 mask=xyzw
//!     %328 = deref_var &vertex
//!     32x1 %329 = const 2
//!     %330 = deref_array %328[%329]
//!     32x4 %331 = load_deref %330
//!     %332 = deref_var &"vertex.1"
//!     32x1 %333 = const 2
//!     %334 = deref_array %332[%333]
//!     store_deref %334, %331 mask=xyzw
//!     %335 = deref_var &strip_vertices
//!     32x1 %336 = load_deref %335
//!     32x1 %337 = const 1
//!     32x1 %338 = iadd %336, %337
//!     %339 = deref_var &strip_vertices
//!     store_deref %339, %338 mask=x
//!     32x4 %340 = load_per_vertex_input %4, %2 io=position dest_type=float32
//!     %341 = deref_var &vertex
//!     32x1 %342 = const 0
//!     %343 = deref_array %341[%342]
//!     32x1 %344 = undef
//!     32x1 %345 = mov %340.x
//!     32x1 %346 = mov %340.y
//!     32x1 %347 = mov %340.z
//!     32x1 %348 = mov %340.w
//!     32x4 %349 = vec4 %345, %346, %347, %348
//!     store_deref %343, %349 mask=xyzw
//!     %350 = deref_var &strip_vertices
//!     32x1 %351 = load_deref %350
//!     32x1 %352 = const 2
//!     1x1 %353 = uge %351, %352
//!     if %353 {
//!     b21:
//!       %354 = deref_var &"vertex.2"
//!       32x1 %355 = const 0
//!       %356 = deref_array %354[%355]
//!       32x4 %357 = load_deref %356
//!       32x3 %358 = mov %357.xyw
//!       %359 = deref_var &"vertex.1"
//!       32x1 %360 = const 0
//!       %361 = deref_array %359[%360]
//!       32x4 %362 = load_deref %361
//!       32x3 %363 = mov %362.xyw
//!       %364 = deref_var &vertex
//!       32x1 %365 = const 0
//!       %366 = deref_array %364[%365]
//!       32x4 %367 = load_deref %366
//!       32x3 %368 = mov %367.xyw
//!       32x3 %369 = mov %363.yzx
//!       32x3 %370 = mov %368.zxy
//!       32x3 %371 = mov %363.zxy
//!       32x3 %372 = mov %368.yzx
//!       32x3 %373 = fmul %369, %370
//!       32x3 %374 = fmul %371, %372
//!       32x3 %375 = fsub %373, %374
//!       32x1 %376 = fdot3 %358, %375
//!       32x1 %377 = const 0
//!       1x1 %378 = flt %377, %376
//!       1x1 %379 = flt %376, %377
//!       32x1 %380 = const 1
//!       32x1 %381 = const 0
//!       32x1 %382 = iand %351, %380
//!       1x1 %383 = ine %382, %381
//!       1x1 %384 = bcsel %383, %379, %378
//!       %385 = deref_var &driver
//!       32x1 %386 = const 336
//!       32x1 %387 = load_ubo %385, %386 align=4
//!       32x1 %388 = const 4
//!       32x1 %389 = iand %387, %388
//!       1x1 %390 = ine %389, %381
//!       1x1 %391 = ixor %384, %390
//!       %392 = deref_var &driver
//!       32x1 %393 = const 336
//!       32x1 %394 = load_ubo %392, %393 align=4
//!       32x1 %395 = const 0
//!       32x1 %396 = const 1
//!       32x1 %397 = const 2
//!       32x1 %398 = bcsel %391, %396, %397
//!       32x1 %399 = iand %394, %398
//!       1x1 %400 = ieq %399, %395
//!       if %400 {
//!       b22:
//!         %401 = deref_var &"vertex.2"
//!         32x1 %402 = const 2
//!         %403 = deref_array %401[%402]
//!         32x4 %404 = load_deref %403
//!         32x1 %405 = mov %404.x
//!         32x1 %406 = const 0
//!         1x1 %407 = ine %405, %406
//!         if %407 {
//!         b23:
//!           %408 = deref_var &"vertex.2"
//!           32x1 %409 = const 0
//!           %410 = deref_array %408[%409]
//!           32x4 %411 = load_deref %410
//!           32x1 %412 = const 0
//!           store_output %411, %412 io=position mask=xyzw src_type=float32
//!           %413 = deref_var &"vertex.2"
//!           32x1 %414 = const 1
//!           %415 = deref_array %413[%414]
//!           32x4 %416 = load_deref %415
//!           32x1 %417 = mov %416.x
//!           32x1 %418 = const 0
//!           store_output %417, %418 io=point_size mask=x src_type=float32
//!           emit_vertex
//!         }
//!       b24:
//!         %419 = deref_var &"vertex.1"
//!         32x1 %420 = const 2
//!         %421 = deref_array %419[%420]
//!         32x4 %422 = load_deref %421
//!         32x1 %423 = mov %422.x
//!         32x1 %424 = const 0
//!         1x1 %425 = ine %423, %424
//!         if %425 {
//!         b25:
//!           %426 = deref_var &"vertex.1"
//!           32x1 %427 = const 0
//!           %428 = deref_array %426[%427]
//!           32x4 %429 = load_deref %428
//!           32x1 %430 = const 0
//!           store_output %429, %430 io=position mask=xyzw src_type=float32
//!           %431 = deref_var &"vertex.1"
//!           32x1 %432 = const 1
//!           %433 = deref_array %431[%432]
//!           32x4 %434 = load_deref %433
//!           32x1 %435 = mov %434.x
//!           32x1 %436 = const 0
//!           store_output %435, %436 io=point_size mask=x src_type=float32
//!           emit_vertex
//!         }
//!       b26:
//!         %437 = deref_var &vertex
//!         32x1 %438 = const 2
//!         %439 = deref_array %437[%438]
//!         32x4 %440 = load_deref %439
//!         32x1 %441 = mov %440.x
//!         32x1 %442 = const 0
//!         1x1 %443 = ine %441, %442
//!         if %443 {
//!         b27:
//!           %444 = deref_var &vertex
//!           32x1 %445 = const 0
//!           %446 = deref_array %444[%445]
//!           32x4 %447 = load_deref %446
//!           32x1 %448 = const 0
//!           store_output %447, %448 io=position mask=xyzw src_type=float32
//!           %449 = deref_var &vertex
//!           32x1 %450 = const 1
//!           %451 = deref_array %449[%450]
//!           32x4 %452 = load_deref %451
//!           32x1 %453 = mov %452.x
//!           32x1 %454 = const 0
//!           store_output %453, %454 io=point_size mask=x src_type=float32
//!           emit_vertex
//!         }
//!       b28:
//!       }
//!     b29:
//!     }
//!   b30:
//!     %455 = deref_var &"vertex.1"
//!     32x1 %456 = const 0
//!     %457 = deref_array %455[%456]
//!     32x4 %458 = load_deref %457
//!     %459 = deref_var &"vertex.2"
//!     32x1 %460 = const 0
//!     %461 = deref_array %459[%460]
//!     store_deref %461, %458 mask=xyzw
//!     %462 = deref_var &"vertex.1"
//!     32x1 %463 = const 1
//!     %464 = deref_array %462[%463]
//!     32x4 %465 = load_deref %464
//!     %466 = deref_var &"vertex.2"
//!     32x1 %467 = const 1
//!     %468 = deref_array %466[%467]
//!     store_deref %468, %465 mask=xyzw
//!     %469 = deref_var &"vertex.1"
//!     32x1 %470 = const 2
//!     %471 = deref_array %469[%470]
//!     32x4 %472 = load_deref %471
//!     %473 = deref_var &"vertex.2"
//!     32x1 %474 = const 2
//!     %475 = deref_array %473[%474]
//!     store_deref %475, %472 mask=xyzw
//!     %476 = deref_var &vertex
//!     32x1 %477 = const 0
//!     %478 = deref_array %476[%477]
//!     32x4 %479 = load_deref %478
//!     %480 = deref_var &"vertex.1"
//!     32x1 %481 = const 0
//!     %482 = deref_array %480[%481]
//!     store_deref %482, %479 mask=xyzw
//!     %483 = deref_var &vertex
//!     32x1 %484 = const 1
//!     %485 = deref_array %483[%484]
//!     32x4 %486 = load_deref %485
//!     %487 = deref_var &"vertex.1"
//!     32x1 %488 = const 1
//!     %489 = deref_array %487[%488]
//!     store_deref %489, %486 mask=xyzw
//!     %490 = deref_var &vertex
//!     32x1 %491 = const 2
//!     %492 = deref_array %490[%491]
//!     32x4 %493 = load_deref %492
//!     %494 = deref_var &"vertex.1"
//!     32x1 %495 = const 2
//!     %496 = deref_array %494[%495]
//!     store_deref %496, %493 mask=xyzw
//!     %497 = deref_var &strip_vertices
//!     32x1 %498 = load_deref %497
//!     32x1 %499 = const 1
//!     32x1 %500 = iadd %498, %499
//!     %501 = deref_var &strip_vertices
//!     store_deref %501, %500 mask=x
//!   }
//! }
//! ```

use crate::gl::expand_lines::{NO_SLOT, is_flat};
use crate::stages::stage_buffer::{New, RecordLayout, only_function, rewrite};
use crate::util::driver_values::{DRIVER, load, words};
use crate::util::output_locals::{
    Names, OutputLocals, Part, emit_vertex, end_primitive, store_part, stored_slots,
};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    AluOp, Builder, Cursor, Diagnostic, Form, InstrId, Interpolation, IntrinsicOp, Modes, Primitive, Scalar,
    Shader, Slot, Stage, TypeId, VarId, Variable,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct ExpandPolygons {
        /// The corners are drawn, otherwise the edges.
        points: bool = false,
        /// Generic location of the varying with the face.
        slot: u32 = NO_SLOT,
        /// Outputs that have the value of the provoking vertex.
        flat: RecordLayout = RecordLayout::default(),
        /// The first vertex of a triangle provokes, otherwise the last.
        first_provokes: bool = true,
    }
}

static INFO: PassInfo = PassInfo::new(
    "expand_polygons",
    "draws the triangles of a geometry shader as their edges or corners",
    include_str!("expand_polygons.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<ExpandPolygons as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for ExpandPolygons {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if shader.stage != Stage::Geometry || shader.info.output_primitive != Primitive::TriangleStrip {
            return Ok(Changes::NONE);
        }
        let entry = only_function(shader)?;
        let slots = stored_slots(&shader.functions[entry].body)?;
        // Triangles without positions are not drawn.
        let Some(position) = slots.iter().position(|s| s.slot == Slot::POSITION) else {
            return Ok(Changes::NONE);
        };
        let outputs = OutputLocals::declare(shader, entry, slots, 2);
        let edge = outputs.index(Slot::EDGE);
        let face = Slot::generic(self.slot);
        if let Some(slot) = face {
            let ty = shader.types.vector(Scalar::Uint32, 1);
            let mut var = Variable::new("face", ty, Modes::OUT);
            (var.location, var.interpolation) = (Some(slot), Interpolation::Flat);
            shader.add_var(var);
        }
        let block = DRIVER.declare(shader);
        let polygons = Polygons { pass: self, outputs, position, edge, face, block };
        let Shader { types, vars, functions, .. } = &mut *shader;
        let (body, mut names) = (&mut functions[entry].body, Names { types, vars });
        let old: Vec<InstrId> = body.all_instrs().collect();
        let first = Cursor::BlockStart(body.entry());
        polygons.outputs.restart(&names, &mut Builder::at(body, first));
        rewrite(body, &old, |b, i, ty| {
            Ok(match i.op {
                IntrinsicOp::emit_vertex => {
                    polygons.emit(&mut names, b);
                    New::Nothing
                }
                IntrinsicOp::end_primitive => {
                    polygons.outputs.restart(&names, b);
                    New::Nothing
                }
                _ => polygons.outputs.replace(&mut names, b, i, ty),
            })
        })?;
        let removed = |slot| slot == Slot::EDGE || (slot == Slot::POINT_SIZE && !self.points);
        shader.vars.retain(|_, v| v.mode != Modes::OUT || !v.location.is_some_and(removed));
        let info = &mut shader.info;
        let each = match (self.points, edge) {
            (true, _) => 3,
            (false, None) => 4,
            (false, Some(_)) => 6,
        };
        info.output_primitive = if self.points { Primitive::Points } else { Primitive::LineStrip };
        info.max_vertices = info.max_vertices.saturating_sub(2).saturating_mul(each);
        Ok(Changes::ALL)
    }
}

/// The expansion of triangles.
struct Polygons<'p> {
    pass: &'p ExpandPolygons,
    outputs: OutputLocals,
    /// Index of the position in a vertex.
    position: usize,
    /// Index of the edge flag.
    edge: Option<usize>,
    /// The varying with the face.
    face: Option<Slot>,
    block: (VarId, TypeId),
}

impl Polygons<'_> {
    /// A vertex is emitted: the triangle that it completes is drawn.
    fn emit(&self, names: &mut Names<'_>, b: &mut Builder<'_>) {
        let (count, two) = (self.outputs.count(names, b), b.imm_u32(2));
        let is_complete = b.uge(count, two);
        let complete = b.push_if(is_complete);
        let front = self.is_front(names, b, count);
        let [faces] = load(b, self.block, [words::FACES]);
        let zero = b.imm_u32(0);
        let masks = [1, 2].map(|mask| b.imm_u32(mask));
        let mask = b.bcsel(front, masks[0], masks[1]);
        let culled = b.iand(faces, mask);
        let visible = b.ieq(culled, zero);
        let drawn = b.push_if(visible);
        if self.pass.points || self.edge.is_some() {
            for corner in 0..3 {
                self.marked(names, b, front, corner);
            }
        } else {
            for corner in [0, 1, 2, 0] {
                self.vertex(names, b, front, corner);
            }
            end_primitive(b);
        }
        b.pop(drawn);
        b.pop(complete);
        self.outputs.advance(names, b);
    }

    /// Draws a corner, or the edge from it, if it has an edge flag.
    fn marked(&self, names: &mut Names<'_>, b: &mut Builder<'_>, front: InstrId, corner: usize) {
        let flag = self.edge.map(|edge| {
            let flag = self.outputs.load(names, b, 2 - corner, edge);
            let (flag, zero) = (b.channel(flag, 0), b.imm_u32(0));
            let is_boundary = b.ine(flag, zero);
            b.push_if(is_boundary)
        });
        self.vertex(names, b, front, corner);
        if !self.pass.points {
            self.vertex(names, b, front, (corner + 1) % 3);
            end_primitive(b);
        }
        if let Some(flag) = flag {
            b.pop(flag);
        }
    }

    /// Whether the front of the triangle is seen.
    fn is_front(&self, names: &mut Names<'_>, b: &mut Builder<'_>, count: InstrId) -> InstrId {
        let columns = [2, 1, 0].map(|age| {
            let position = self.outputs.load(names, b, age, self.position);
            b.swizzle(position, &[0, 1, 3])
        });
        let normal = b.cross(columns[1], columns[2]);
        let area = b.fdot(columns[0], normal);
        let zero = b.imm_f32(0.0);
        let (forward, backward) = (b.flt(zero, area), b.flt(area, zero));
        // Every second triangle of a strip has the other winding.
        let (one, none) = (b.imm_u32(1), b.imm_u32(0));
        let odd = b.iand(count, one);
        let is_odd = b.ine(odd, none);
        let is_counterclockwise = b.bcsel(is_odd, backward, forward);
        let [faces] = load(b, self.block, [words::FACES]);
        let four = b.imm_u32(4);
        let clockwise = b.iand(faces, four);
        let is_clockwise = b.ine(clockwise, none);
        b.alu(AluOp::ixor, &[is_counterclockwise, is_clockwise])
    }

    /// Emits a corner of the triangle.
    fn vertex(&self, names: &mut Names<'_>, b: &mut Builder<'_>, front: InstrId, corner: usize) {
        let provoking = if self.pass.first_provokes { 0 } else { 2 };
        for (index, output) in self.outputs.slots.iter().enumerate() {
            if output.slot == Slot::EDGE || (output.slot == Slot::POINT_SIZE && !self.pass.points) {
                continue;
            }
            for &part in &output.parts {
                let corner = if is_flat(output.slot, part, &self.pass.flat) { provoking } else { corner };
                let value = self.outputs.load(names, b, 2 - corner, index);
                store_part(b, output.slot, part, value);
            }
        }
        if let Some(slot) = self.face {
            let values = [1, 0].map(|value| b.imm_u32(value));
            let face = b.bcsel(front, values[0], values[1]);
            store_part(b, slot, Part { scalar: Scalar::Uint32, mask: 1 }, face);
        }
        emit_vertex(b);
    }
}
