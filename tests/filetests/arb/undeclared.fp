!!ARBfp1.0
# RUN: airfoil check %s
TEMP a;
MOV a, b;
END
# EXPECT ERROR E1304 `b` is not declared (ARB_fragment_program section 3.11.3)
