//! The interface between a pipeline and its shaders, so that engines other than the interpreter can execute them.

use crate::fault::Fault;
use crate::resources::Resources;
use crate::run::{
    FragmentBatch, FragmentOutput, GeometryPrimitive, IoVar, Patch, Program, Stream, TessPoint, Vertex,
};
use crate::values::{System, Values};
use airfoil_ir::Shader;

/// A shader prepared for execution by any engine. The methods are those of [`Program`]; an engine that does not execute a
/// stage returns a fault.
///
/// # Examples
///
/// An engine that copies the inputs of vertices and executes nothing else:
///
/// ```
/// use airfoil_interp::pipeline::{Pipeline, Stages};
/// use airfoil_interp::run::{IoVar, Vertex};
/// use airfoil_interp::{Fault, Resources, System, Values};
/// use airfoil_ir::{Shader, Stage};
///
/// struct Engine(Shader);
/// impl Stages for Engine {
///     fn shader(&self) -> &Shader {
///         &self.0
///     }
///     fn vertex(&mut self, _: &mut Resources, _: &System, vertices: &[Vertex]) -> Result<Vec<Values>, Fault> {
///         Ok(vertices.iter().map(|v| v.inputs.clone()).collect())
///     }
///     fn inputs(&self) -> &[IoVar] {
///         &[]
///     }
///     fn outputs(&self) -> &[IoVar] {
///         &[]
///     }
/// }
/// let engines = [Stage::Vertex, Stage::Geometry].map(|stage| Engine(Shader::new("main", stage)));
/// let mut pipeline = Pipeline::of(engines.into())?;
/// // The other stages are faults.
/// let fault = pipeline.program_mut(Stage::Geometry).unwrap().geometry(&mut Resources::new(), &System::new(), &[]);
/// assert_eq!(fault.unwrap_err().message, "this engine does not execute shaders of the stage geometry");
/// # Ok::<(), Fault>(())
/// ```
#[allow(clippy::missing_errors_doc)] // faults of the shader
pub trait Stages {
    /// The shader, whose declarations configure the fixed functions.
    fn shader(&self) -> &Shader;

    /// Inputs that the shader declares.
    fn inputs(&self) -> &[IoVar];

    /// Outputs that the shader declares.
    fn outputs(&self) -> &[IoVar];

    /// Instructions executed so far, counted once per invocation; 0 if the engine does not count them.
    fn steps(&self) -> u64 {
        0
    }

    /// Executes a vertex shader; returns the outputs of each vertex.
    fn vertex(
        &mut self,
        _resources: &mut Resources,
        _common: &System,
        _vertices: &[Vertex],
    ) -> Result<Vec<Values>, Fault> {
        Err(not_executed(self.shader()))
    }

    /// Executes a fragment shader on quads; returns the outputs of each quad's fragments.
    fn fragment(
        &mut self,
        _resources: &mut Resources,
        _batch: &FragmentBatch<'_>,
    ) -> Result<Vec<[FragmentOutput; 4]>, Fault> {
        Err(not_executed(self.shader()))
    }

    /// Executes workgroups of a compute shader.
    fn compute(
        &mut self,
        _resources: &mut Resources,
        _common: &System,
        _groups: [u32; 3],
    ) -> Result<(), Fault> {
        Err(not_executed(self.shader()))
    }

    /// Executes a tessellation control shader; returns the output patches.
    fn tess_control(
        &mut self,
        _resources: &mut Resources,
        _common: &System,
        _patches: &[GeometryPrimitive<'_>],
    ) -> Result<Vec<Patch>, Fault> {
        Err(not_executed(self.shader()))
    }

    /// Executes a tessellation evaluation shader; returns the outputs of each point.
    fn tess_eval(
        &mut self,
        _resources: &mut Resources,
        _common: &System,
        _points: &[TessPoint<'_>],
    ) -> Result<Vec<Values>, Fault> {
        Err(not_executed(self.shader()))
    }

    /// Executes a geometry shader; returns the emitted vertices of each primitive, by stream.
    fn geometry(
        &mut self,
        _resources: &mut Resources,
        _common: &System,
        _primitives: &[GeometryPrimitive<'_>],
    ) -> Result<Vec<[Stream; 4]>, Fault> {
        Err(not_executed(self.shader()))
    }
}

fn not_executed(shader: &Shader) -> Fault {
    Fault::unsupported(format!("this engine does not execute shaders of the stage {}", shader.stage))
}

/// Implements the trait by methods of the same names.
macro_rules! forward {
    ($ty:ty, $this:ident => $to:expr) => {
        impl Stages for $ty {
            fn shader(&self) -> &Shader {
                let $this = self;
                $to.shader()
            }

            fn inputs(&self) -> &[IoVar] {
                let $this = self;
                $to.inputs()
            }

            fn outputs(&self) -> &[IoVar] {
                let $this = self;
                $to.outputs()
            }

            fn steps(&self) -> u64 {
                let $this = self;
                $to.steps()
            }

            fn vertex(
                &mut self,
                resources: &mut Resources,
                common: &System,
                vertices: &[Vertex],
            ) -> Result<Vec<Values>, Fault> {
                let $this = self;
                $to.vertex(resources, common, vertices)
            }

            fn fragment(
                &mut self,
                resources: &mut Resources,
                batch: &FragmentBatch<'_>,
            ) -> Result<Vec<[FragmentOutput; 4]>, Fault> {
                let $this = self;
                $to.fragment(resources, batch)
            }

            fn compute(
                &mut self,
                resources: &mut Resources,
                common: &System,
                groups: [u32; 3],
            ) -> Result<(), Fault> {
                let $this = self;
                $to.compute(resources, common, groups)
            }

            fn tess_control(
                &mut self,
                resources: &mut Resources,
                common: &System,
                patches: &[GeometryPrimitive<'_>],
            ) -> Result<Vec<Patch>, Fault> {
                let $this = self;
                $to.tess_control(resources, common, patches)
            }

            fn tess_eval(
                &mut self,
                resources: &mut Resources,
                common: &System,
                points: &[TessPoint<'_>],
            ) -> Result<Vec<Values>, Fault> {
                let $this = self;
                $to.tess_eval(resources, common, points)
            }

            fn geometry(
                &mut self,
                resources: &mut Resources,
                common: &System,
                primitives: &[GeometryPrimitive<'_>],
            ) -> Result<Vec<[Stream; 4]>, Fault> {
                let $this = self;
                $to.geometry(resources, common, primitives)
            }
        }
    };
}

// Methods of the type itself go before those of the trait.
forward!(Program<'_>, this => this);
forward!(Box<dyn Stages + '_>, this => (**this));
