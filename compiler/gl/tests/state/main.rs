//! Every state of the key, executed: the code of a variant is drawn with the conventions of Metal, and compared with images
//! that the tests compute from the specification.

mod capture;
mod colors;
mod coverage;
mod expanded;
mod external;
mod feedback;
mod fragment;
mod meshes;
mod modules;
mod multiview;
mod pipelines;
mod points;
mod pulling;
mod resources;
mod scene;
mod stages;
mod vertex;
