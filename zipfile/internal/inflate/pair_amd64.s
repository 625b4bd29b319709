//go:build !noasm && !safe && !purego

#include "go_asm.h"
#include "textflag.h"

// Registers. The two decoders of a Pair stand one behind the other, so that one register
// leads to the tables of both.
//
//	     bits  count  input  output  entry
//	a    R8    R9     SI     DI      AX
//	b    R10   R11    R12    R14     R15
//
// R13 is the Pair; BX, CX, DX and BP are for the moment.

#define A_IN_END   in_end_a-8(SP)
#define A_OUT_END  out_end_a-16(SP)
#define A_BASE     base_a-24(SP)
#define B_IN_END   in_end_b-32(SP)
#define B_OUT_END  out_end_b-40(SP)
#define B_BASE     base_b-48(SP)
#define STEPS      steps-56(SP)

// REFILL makes at least 56 bits available. Of the count only the low 6 bits mean something.
#define REFILL(BITS, N, IN) \
	MOVQ  (IN), CX      \
	SHLXQ N, CX, CX     \
	ORQ   CX, BITS      \
	MOVQ  N, CX         \
	SHRQ  $3, CX        \
	ANDL  $7, CX        \
	XORL  $7, CX        \
	ADDQ  CX, IN        \
	ORQ   $56, N

// LITERAL consumes a literal if one is next, without a branch, and looks up what follows.
#define LITERAL(BITS, N, OUT, E, TABLE) \
	MOVL  BITS, E                   \
	ANDL  $2047, E                  \
	MOVL  TABLE(R13)(E*4), E        \
	MOVL  E, CX                     \
	SHRL  $8, CX                    \
	MOVB  CX, (OUT)                 \
	SHRXQ E, BITS, BITS             \
	SUBQ  E, N                      \
	SHRL  $31, E                    \
	ADDQ  E, OUT                    \
	MOVL  BITS, E                   \
	ANDL  $2047, E                  \
	MOVL  TABLE(R13)(E*4), E

// MATCH consumes a literal or a match. A literal is a match of length 1 whose source is in the
// identity table before the output.
#define MATCH(BITS, N, OUT, E, DIST, IDENT, BASE, SPECIAL, GO, DSPECIAL, DGO, FAR, NEAR, LONG, DONE) \
	TESTL   $const_special, E       \
	JNZ     SPECIAL                 \
GO:                                     \
	MOVL    E, BP                   \
	SARL    $31, BP                 \
	MOVL    E, CX                   \
	SHRL    $16, CX                 \
	ANDL    $63, CX                 \
	BZHIQ   CX, BITS, DX            \
	SHRXQ   CX, BITS, BITS          \
	SUBQ    CX, N                   \
	MOVL    E, CX                   \
	SHRL    $22, CX                 \
	SHRXQ   CX, DX, DX              \
	MOVL    E, CX                   \
	SHRL    $6, CX                  \
	ANDL    $511, CX                \
	ANDNL   CX, BP, CX              \
	SUBL    BP, CX                  \
	ADDQ    CX, DX                  \
	MOVBLZX BITS, BX                \
	MOVL    DIST(R13)(BX*4), BX     \
	ANDNL   BX, BP, BX              \
	TESTL   $const_distSpecial, BX  \
	JNZ     DSPECIAL                \
DGO:                                    \
	BZHIQ   BX, BITS, CX            \
	SHRXQ   BX, BITS, BITS          \
	SUBQ    BX, N                   \
	SHRL    $8, BX                  \
	SHRXQ   BX, CX, CX              \
	SHRL    $8, BX                  \
	ADDQ    CX, BX                  \
	MOVQ    OUT, CX                 \
	SUBQ    BX, CX                  \
	CMPQ    CX, BASE                \
	JCS     FAR                     \
	SHRL    $8, E                   \
	MOVBLZX E, E                    \
	ADDQ    IDENT(R13), E           \
	TESTL   BP, BP                  \
	CMOVQNE E, CX                   \
	DECQ    BX                      \
	CMPQ    BX, $7                  \
	JCS     NEAR                    \
	MOVQ    (CX), BX                \
	MOVQ    BX, (OUT)               \
	MOVQ    8(CX), BX               \
	MOVQ    BX, 8(OUT)              \
	MOVQ    16(CX), BX              \
	MOVQ    BX, 16(OUT)             \
	MOVQ    24(CX), BX              \
	MOVQ    BX, 24(OUT)             \
	CMPQ    DX, $32                 \
	JHI     LONG                    \
	ADDQ    DX, OUT                 \
DONE:

// SUBTABLE goes on from an entry of the main table that is neither literal nor length.
#define SUBTABLE(BITS, N, IN, E, TABLE, GO, EXIT) \
	TESTL $(1<<26), E         \
	JZ    EXIT                \
	MOVL  E, CX               \
	SHRL  $20, CX             \
	ANDL  $15, CX             \
	MOVQ  BITS, DX            \
	SHRQ  $const_litlenBits, DX \
	BZHIQ CX, DX, DX          \
	MOVL  E, CX               \
	SHRL  $8, CX              \
	ANDL  $0xfff, CX          \
	ADDQ  DX, CX              \
	MOVL  TABLE(R13)(CX*4), DX \
	TESTL $const_special, DX  \
	JNZ   EXIT                \
	MOVL  DX, E               \
	SHRQ  $const_litlenBits, BITS \
	SUBQ  $const_litlenBits, N \
	REFILL(BITS, N, IN)       \
	JMP   GO

// DSUBTABLE is the same for distances.
#define DSUBTABLE(BITS, N, DIST, GO, EXIT) \
	TESTL $128, BX            \
	JNZ   EXIT                \
	SHRQ  $const_distBits, BITS \
	SUBQ  $const_distBits, N  \
	MOVL  BX, CX              \
	SHRL  $8, CX              \
	ANDL  $15, CX             \
	BZHIQ CX, BITS, CX        \
	SHRL  $16, BX             \
	ADDQ  CX, BX              \
	MOVL  DIST(R13)(BX*4), BX \
	TESTL $const_distSpecial, BX \
	JNZ   EXIT                \
	JMP   GO

// COPYNEAR writes a match of a distance below 8: eight bytes one by one, then words from a
// multiple of the distance that is at least 8 behind. BX is the distance less one.
#define COPYNEAR(OUT, LOOP, LAST, DONE) \
	LEAQ  8(BX*8), AX         \
	MOVQ  $0x0e0c0a0809080800, BP \
	SHRXQ AX, BP, BP          \
	MOVBLZX BP, BP            \
	MOVB  (CX), AX            \
	MOVB  AX, (OUT)           \
	MOVB  1(CX), AX           \
	MOVB  AX, 1(OUT)          \
	MOVB  2(CX), AX           \
	MOVB  AX, 2(OUT)          \
	MOVB  3(CX), AX           \
	MOVB  AX, 3(OUT)          \
	MOVB  4(CX), AX           \
	MOVB  AX, 4(OUT)          \
	MOVB  5(CX), AX           \
	MOVB  AX, 5(OUT)          \
	MOVB  6(CX), AX           \
	MOVB  AX, 6(OUT)          \
	MOVB  7(CX), AX           \
	MOVB  AX, 7(OUT)          \
	LEAQ  8(OUT), CX          \
	ADDQ  DX, OUT             \
	MOVQ  CX, BX              \
	SUBQ  BP, BX              \
LOOP:                             \
	CMPQ  CX, OUT             \
	JCC   LAST                \
	MOVQ  (BX), AX            \
	MOVQ  AX, (CX)            \
	ADDQ  $8, BX              \
	ADDQ  $8, CX              \
	JMP   LOOP                \
LAST:                             \
	JMP   DONE

// COPYLONG goes on after 32 bytes.
#define COPYLONG(OUT, LOOP, DONE) \
	LEAQ  32(OUT), AX         \
	ADDQ  DX, OUT             \
LOOP:                             \
	MOVQ  32(CX), BX          \
	MOVQ  BX, (AX)            \
	ADDQ  $8, CX              \
	ADDQ  $8, AX              \
	CMPQ  AX, OUT             \
	JCS   LOOP                \
	JMP   DONE

#define LITLEN_A Decoder_litlen
#define DIST_A   Decoder_dist
#define OUT_A    Decoder_out
#define LITLEN_B (Decoder__size+Decoder_litlen)
#define DIST_B   (Decoder__size+Decoder_dist)
#define OUT_B    (Decoder__size+Decoder_out)

// func pairBMI2(p *Pair, steps int) (code int)
TEXT ·pairBMI2(SB), NOSPLIT, $56-24
	MOVQ p+0(FP), R13
	MOVQ steps+8(FP), AX
	MOVQ AX, STEPS

	MOVQ Decoder_buf(R13), SI
	MOVQ SI, AX
	ADDQ Decoder_stop(R13), AX
	MOVQ AX, A_IN_END
	ADDQ Decoder_pos(R13), SI
	MOVQ Decoder_out(R13), DI
	LEAQ const_identity(DI), AX
	MOVQ AX, A_BASE
	MOVQ DI, AX
	ADDQ Decoder_limit(R13), AX
	MOVQ AX, A_OUT_END
	ADDQ Decoder_o(R13), DI
	MOVQ Decoder_bb(R13), R8
	MOVQ Decoder_n(R13), R9

	MOVQ (Decoder__size+Decoder_buf)(R13), R12
	MOVQ R12, AX
	ADDQ (Decoder__size+Decoder_stop)(R13), AX
	MOVQ AX, B_IN_END
	ADDQ (Decoder__size+Decoder_pos)(R13), R12
	MOVQ (Decoder__size+Decoder_out)(R13), R14
	LEAQ const_identity(R14), AX
	MOVQ AX, B_BASE
	MOVQ R14, AX
	ADDQ (Decoder__size+Decoder_limit)(R13), AX
	MOVQ AX, B_OUT_END
	ADDQ (Decoder__size+Decoder_o)(R13), R14
	MOVQ (Decoder__size+Decoder_bb)(R13), R10
	MOVQ (Decoder__size+Decoder_n)(R13), R11

loop:
	CMPQ SI, A_IN_END
	JHI  limit
	CMPQ DI, A_OUT_END
	JCC  limit
	CMPQ R12, B_IN_END
	JHI  limit
	CMPQ R14, B_OUT_END
	JCC  limit
	DECQ STEPS
	JMI  limit

	REFILL(R8, R9, SI)
	LITERAL(R8, R9, DI, AX, LITLEN_A)
	REFILL(R10, R11, R12)
	LITERAL(R10, R11, R14, R15, LITLEN_B)
	MATCH(R8, R9, DI, AX, DIST_A, OUT_A, A_BASE, special1, go1, dspecial1, dgo1, fara, near1, long1, done1)
	MATCH(R10, R11, R14, R15, DIST_B, OUT_B, B_BASE, special2, go2, dspecial2, dgo2, farb, near2, long2, done2)

	REFILL(R8, R9, SI)
	LITERAL(R8, R9, DI, AX, LITLEN_A)
	REFILL(R10, R11, R12)
	LITERAL(R10, R11, R14, R15, LITLEN_B)
	MATCH(R8, R9, DI, AX, DIST_A, OUT_A, A_BASE, special3, go3, dspecial3, dgo3, fara, near3, long3, done3)
	MATCH(R10, R11, R14, R15, DIST_B, OUT_B, B_BASE, special4, go4, dspecial4, dgo4, farb, near4, long4, done4)
	JMP loop

special1:
	SUBTABLE(R8, R9, SI, AX, LITLEN_A, go1, speciala)
special2:
	SUBTABLE(R10, R11, R12, R15, LITLEN_B, go2, specialb)
special3:
	SUBTABLE(R8, R9, SI, AX, LITLEN_A, go3, speciala)
special4:
	SUBTABLE(R10, R11, R12, R15, LITLEN_B, go4, specialb)

dspecial1:
	DSUBTABLE(R8, R9, DIST_A, dgo1, invalida)
dspecial2:
	DSUBTABLE(R10, R11, DIST_B, dgo2, invalidb)
dspecial3:
	DSUBTABLE(R8, R9, DIST_A, dgo3, invalida)
dspecial4:
	DSUBTABLE(R10, R11, DIST_B, dgo4, invalidb)

near1:
	COPYNEAR(DI, nearloop1, nearlast1, done1)
near2:
	COPYNEAR(R14, nearloop2, nearlast2, done2)
near3:
	COPYNEAR(DI, nearloop3, nearlast3, done3)
near4:
	COPYNEAR(R14, nearloop4, nearlast4, done4)

long1:
	COPYLONG(DI, longloop1, done1)
long2:
	COPYLONG(R14, longloop2, done2)
long3:
	COPYLONG(DI, longloop3, done3)
long4:
	COPYLONG(R14, longloop4, done4)

limit:
	XORL AX, AX
	JMP  exit

speciala:
	MOVL $const_atA, AX
	JMP  exit

specialb:
	MOVL $const_atB, AX
	JMP  exit

fara:
	MOVL $const_farA, AX
	JMP  exit

farb:
	MOVL $const_farB, AX
	JMP  exit

invalida:
	MOVL $const_invalidA, AX
	JMP  exit

invalidb:
	MOVL $const_invalidB, AX

exit:
	SUBQ Decoder_buf(R13), SI
	MOVQ SI, Decoder_pos(R13)
	SUBQ Decoder_out(R13), DI
	MOVQ DI, Decoder_o(R13)
	MOVQ R8, Decoder_bb(R13)
	ANDL $63, R9
	MOVQ R9, Decoder_n(R13)
	SUBQ (Decoder__size+Decoder_buf)(R13), R12
	MOVQ R12, (Decoder__size+Decoder_pos)(R13)
	SUBQ (Decoder__size+Decoder_out)(R13), R14
	MOVQ R14, (Decoder__size+Decoder_o)(R13)
	MOVQ R10, (Decoder__size+Decoder_bb)(R13)
	ANDL $63, R11
	MOVQ R11, (Decoder__size+Decoder_n)(R13)
	MOVQ AX, code+16(FP)
	RET

// func oneBMI2(d *Decoder, steps int) (code int)
TEXT ·oneBMI2(SB), NOSPLIT, $56-24
	MOVQ d+0(FP), R13
	MOVQ steps+8(FP), AX
	MOVQ AX, STEPS

	MOVQ Decoder_buf(R13), SI
	MOVQ SI, AX
	ADDQ Decoder_stop(R13), AX
	MOVQ AX, A_IN_END
	ADDQ Decoder_pos(R13), SI
	MOVQ Decoder_out(R13), DI
	LEAQ const_identity(DI), AX
	MOVQ AX, A_BASE
	MOVQ DI, AX
	ADDQ Decoder_limit(R13), AX
	MOVQ AX, A_OUT_END
	ADDQ Decoder_o(R13), DI
	MOVQ Decoder_bb(R13), R8
	MOVQ Decoder_n(R13), R9

oneloop:
	CMPQ SI, A_IN_END
	JGT  onelimit
	CMPQ DI, A_OUT_END
	JCC  onelimit
	DECQ STEPS
	JMI  onelimit

	REFILL(R8, R9, SI)
	LITERAL(R8, R9, DI, AX, LITLEN_A)
	MATCH(R8, R9, DI, AX, DIST_A, OUT_A, A_BASE, onespecial1, onego1, onedspecial1, onedgo1, onefar, onenear1, onelong1, onedone1)

	REFILL(R8, R9, SI)
	LITERAL(R8, R9, DI, AX, LITLEN_A)
	MATCH(R8, R9, DI, AX, DIST_A, OUT_A, A_BASE, onespecial2, onego2, onedspecial2, onedgo2, onefar, onenear2, onelong2, onedone2)
	JMP oneloop

onespecial1:
	SUBTABLE(R8, R9, SI, AX, LITLEN_A, onego1, oneatspecial)
onespecial2:
	SUBTABLE(R8, R9, SI, AX, LITLEN_A, onego2, oneatspecial)

onedspecial1:
	DSUBTABLE(R8, R9, DIST_A, onedgo1, oneinvalid)
onedspecial2:
	DSUBTABLE(R8, R9, DIST_A, onedgo2, oneinvalid)

onenear1:
	COPYNEAR(DI, onenearloop1, onenearlast1, onedone1)
onenear2:
	COPYNEAR(DI, onenearloop2, onenearlast2, onedone2)

onelong1:
	COPYLONG(DI, onelongloop1, onedone1)
onelong2:
	COPYLONG(DI, onelongloop2, onedone2)

onelimit:
	XORL AX, AX
	JMP  oneexit

oneatspecial:
	MOVL $const_atA, AX
	JMP  oneexit

onefar:
	MOVL $const_farA, AX
	JMP  oneexit

oneinvalid:
	MOVL $const_invalidA, AX

oneexit:
	SUBQ Decoder_buf(R13), SI
	MOVQ SI, Decoder_pos(R13)
	SUBQ Decoder_out(R13), DI
	MOVQ DI, Decoder_o(R13)
	MOVQ R8, Decoder_bb(R13)
	ANDL $63, R9
	MOVQ R9, Decoder_n(R13)
	MOVQ AX, code+16(FP)
	RET
