!!ARBfp1.0
OPTION ARB_draw_buffers;
OUTPUT first = result.color[0];
TEMP t;
TEX t, fragment.texcoord, texture, RECT;
TEX t.w, fragment.texcoord[2], texture[4], 1D;
MOV first, t;
MOV result.color[1], fragment.position;
SWZ_SAT result.color[3], t, -r, g, 1, 0;
MOV result.color[2].xy, fragment.fogcoord;
END
