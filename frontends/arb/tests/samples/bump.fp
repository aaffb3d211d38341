!!ARBfp1.0
OPTION ARB_fog_exp2;
OPTION ARB_precision_hint_fastest;
# A normal map, a cube map, a dependent lookup and fog.
ATTRIB coordinate = fragment.texcoord[0];
PARAM scale = { 2, 2, 2, 0 };
PARAM bias = { -1, -1, -1, 0 };
TEMP normal, light, base, gloss;
TEX normal, coordinate, texture[0], 2D;
MAD normal, normal, scale, bias;
DP3 normal.w, normal, normal;
RSQ normal.w, normal.w;
MUL normal.xyz, normal, normal.w;
TXP light, fragment.texcoord[1], texture[1], CUBE;
MAD light, light, scale, bias;
DP3_SAT light.w, normal, light;
TEX base, coordinate, texture[2], 2D;
SUB gloss.a, base.a, state.texenv[0].color.r;
KIL gloss.a;
TXB gloss, normal, texture[3], 3D;
LRP base.rgb, light.a, base, gloss;
MUL base, base, fragment.color;
ADD_SAT result.color.rgb, base, fragment.color.secondary;
MOV result.color.a, base.a;
END
