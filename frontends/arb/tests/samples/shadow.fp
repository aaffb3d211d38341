!!ARBfp1.0
OPTION ARB_fragment_program_shadow;
TEMP a, b, c;
TXP a, fragment.texcoord[0], texture[0], SHADOW2D;
TEX b, fragment.texcoord[1], texture[1], SHADOW1D;
TEX c, fragment.position, texture[2], SHADOWRECT;
MUL a, a, b;
MUL a, a, c;
MAD result.depth.z, fragment.position.z, state.depth.range.z, state.depth.range.x;
MUL result.color, a, fragment.color;
END
