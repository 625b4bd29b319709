//go:build !noasm && !safe && !purego

#include "go_asm.h"
#include "textflag.h"

// Registers. The two decoders of a Pair stand one behind the other, so that one register
// leads to the tables of both. Where the byte of an entry is taken by the name of its second
// byte (AH, BH), the instruction must need no REX prefix: hence who is where.
//
//	     bits  count  input  output  entry
//	a    R8    R9     R10    DI      AX, AH
//	b    R11   R12    R14    SI      BX, BH
//
// R13 is the Pair; R15, CX, DX and BP are for the moment.

#define A_IN_END   in_end_a-8(SP)
#define A_OUT_END  out_end_a-16(SP)
#define A_BASE     base_a-24(SP)
#define B_IN_END   in_end_b-32(SP)
#define B_OUT_END  out_end_b-40(SP)
#define B_BASE     base_b-48(SP)

#define LITLEN_MASK ((1<<const_litlenBits)-1)

// func cpuid(leaf uint32) (eax, ebx uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-16
	MOVL leaf+0(FP), AX
	XORL CX, CX
	CPUID
	MOVL AX, eax+8(FP)
	MOVL BX, ebx+12(FP)
	RET

// REFILL makes at least 56 bits available. Of the count only the low 6 bits mean something.
#define REFILL(BITS, N, IN) \
	SHLXQ N, (IN), CX                       \
	ORQ   CX, BITS                          \
	RORXL $3, N, CX                         \
	ANDL  $7, CX                            \
	XORL  $7, CX                            \
	ADDQ  CX, IN                            \
	ORQ   $56, N

// LITERAL consumes a literal if one is next, without a branch, and looks up what follows.
#define LITERAL(BITS, N, OUT, E, EH, TABLE) \
	MOVL  BITS, E                           \
	ANDL  $LITLEN_MASK, E                          \
	MOVL  TABLE(R13)(E*4), E                \
	MOVB  EH, (OUT)                         \
	SHRXQ E, BITS, BITS                     \
	SUBQ  E, N                              \
	SHRL  $31, E                            \
	ADDQ  E, OUT                            \
	MOVL  BITS, E                           \
	ANDL  $LITLEN_MASK, E                          \
	MOVL  TABLE(R13)(E*4), E

// COUNTED is LITERAL that also brings the count of what follows into CX, by a load of its own: that
// is a cycle sooner than out of the entry, in what one stream waits for.
#define COUNTED(BITS, N, OUT, E, EH, TABLE) \
	MOVL  BITS, E                           \
	ANDL  $LITLEN_MASK, E                          \
	MOVL  TABLE(R13)(E*4), E                \
	MOVB  EH, (OUT)                         \
	SHRXQ E, BITS, BITS                     \
	SUBQ  E, N                              \
	SHRL  $31, E                            \
	ADDQ  E, OUT                            \
	MOVL  BITS, E                           \
	ANDL  $LITLEN_MASK, E                          \
	MOVWLZX (TABLE+const_countAt/8)(R13)(E*4), CX \
	MOVL  TABLE(R13)(E*4), E

// MATCH consumes a literal or a match. A literal is a match of length 1 whose source is in the
// identity table before the output. RORXL brings a field of the entry to the bottom in one
// instruction; what stands above it then is not looked at. BP is all ones for a literal, DX the
// length less 1. CX comes in as the entry from countAt on: by the RORXL in front of MATCH in
// pairBMI2, by COUNTED in oneBMI2, and at GO by SPECIALENTRY.
#define MATCH(BITS, N, OUT, E, EH, DIST, IDENT, BASE, SPECIAL, GO, LENGTH, DSPECIAL, DGO, FAR, NEAR, LONG, DONE) \
	TESTL   $const_special, E               \
	JNZ     SPECIAL                         \
GO:                                     \
	SHRXQ   CX, BITS, BITS                  \
	SUBQ    CX, N                           \
	RORXL   $const_lengthAt, E, DX                      \
	MOVBLZX DX, DX                          \
LENGTH:                                 \
	MOVLQSX E, BP                           \
	SARQ    $63, BP                         \
	MOVBLZX EH, E                           \
	MOVBLZX BITS, R15                       \
	MOVL    DIST(R13)(R15*4), R15           \
	ANDNL   R15, BP, R15                    \
	TESTL   $const_distSpecial, R15         \
	JNZ     DSPECIAL                        \
DGO:                                    \
	BZHIQ   R15, BITS, CX                   \
	SHRXQ   R15, BITS, BITS                 \
	SUBQ    R15, N                          \
	SHRL    $const_distCodeAt, R15          \
	SHRXQ   R15, CX, CX                     \
	SHRL    $(const_distBaseAt-const_distCodeAt), R15 \
	ADDQ    CX, R15                         \
	MOVQ    OUT, CX                         \
	SUBQ    R15, CX                         \
	CMPQ    CX, BASE                        \
	JCS     FAR                             \
	ADDQ    IDENT(R13), E                   \
	TESTL   BP, BP                          \
	CMOVQNE E, CX                           \
	DECQ    R15                             \
	CMPQ    R15, $7                         \
	JCS     NEAR                            \
	MOVQ    (CX), R15                       \
	MOVQ    R15, (OUT)                      \
	MOVQ    8(CX), R15                      \
	MOVQ    R15, 8(OUT)                     \
	MOVQ    16(CX), R15                     \
	MOVQ    R15, 16(OUT)                    \
	MOVQ    24(CX), R15                     \
	MOVQ    R15, 24(OUT)                    \
	MOVQ    32(CX), R15                     \
	MOVQ    R15, 32(OUT)                    \
	CMPQ    DX, $39                         \
	JHI     LONG                            \
	LEAQ    1(OUT)(DX*1), OUT               \
DONE:

// SPECIALENTRY goes on from an entry of the main table that is neither literal nor a match of
// known length: at GO with an entry of the subtable, at LENGTH with a length that has extra bits,
// at EXIT, nothing consumed, with the others.
#define SPECIALENTRY(BITS, N, IN, E, EH, TABLE, CONSUME, EXTRA, GO, LENGTH, EXIT) \
	TESTL $const_specials, E                \
	JNZ   EXTRA                             \
	RORXL $const_widthAt, E, CX             \
	ANDL  $const_widthMask, CX              \
	MOVQ  BITS, DX                          \
	SHRQ  $const_litlenBits, DX             \
	BZHIQ CX, DX, DX                        \
	RORXL $const_startAt, E, CX             \
	ANDL  $const_startMask, CX              \
	ADDQ  DX, CX                            \
	MOVL  TABLE(R13)(CX*4), E               \
	TESTL $const_special, E                 \
	JZ    CONSUME                           \
	MOVL  E, CX                             \
	ANDL  $const_specials, CX               \
	CMPL  CX, $const_longLength             \
	JNE   EXIT                              \
CONSUME:                                \
	SHRQ  $const_litlenBits, BITS           \
	SUBQ  $const_litlenBits, N              \
	REFILL(BITS, N, IN)                     \
	RORXL $const_countAt, E, CX             \
	TESTL $const_special, E                 \
	JZ    GO                                \
EXTRA:                                  \
	MOVL  E, CX                             \
	ANDL  $const_specials, CX               \
	CMPL  CX, $const_longLength             \
	JNE   EXIT                              \
	RORXL $const_countAt, E, CX             \
	BZHIQ CX, BITS, DX                      \
	SHRXQ CX, BITS, BITS                    \
	SUBQ  CX, N                             \
	RORXL $const_extraAt, E, BP             \
	SUBL  BP, CX                            \
	ANDL  $const_extraMask, CX              \
	SHRXQ CX, DX, DX                        \
	MOVBLZX EH, BP                          \
	LEAQ  (const_minMatch-1)(DX)(BP*1), DX  \
	JMP   LENGTH

// DSUBTABLE is the same for distances.
#define DSUBTABLE(BITS, N, DIST, GO, EXIT) \
	TESTL $const_distBad, R15               \
	JNZ   EXIT                              \
	SHRQ  $const_distBits, BITS             \
	SUBQ  $const_distBits, N                \
	RORXL $const_distWidthAt, R15, CX       \
	ANDL  $const_widthMask, CX              \
	BZHIQ CX, BITS, CX                      \
	SHRL  $const_distStartAt, R15           \
	ADDQ  CX, R15                           \
	MOVL  DIST(R13)(R15*4), R15             \
	TESTL $const_distSpecial, R15           \
	JNZ   EXIT                              \
	JMP   GO

// COPYNEAR writes a match of a distance below 8: eight bytes one by one, then words from a
// multiple of the distance that is at least 8 behind, by nearMultiples. R15 is the distance less
// one.
#define COPYNEAR(OUT, E, LOOP, LAST, DONE) \
	LEAQ  8(R15*8), E                       \
	MOVQ  $const_nearMultiples, BP          \
	SHRXQ E, BP, BP                         \
	MOVBLZX BP, BP                          \
	MOVB  (CX), E                           \
	MOVB  E, (OUT)                          \
	MOVB  1(CX), E                          \
	MOVB  E, 1(OUT)                         \
	MOVB  2(CX), E                          \
	MOVB  E, 2(OUT)                         \
	MOVB  3(CX), E                          \
	MOVB  E, 3(OUT)                         \
	MOVB  4(CX), E                          \
	MOVB  E, 4(OUT)                         \
	MOVB  5(CX), E                          \
	MOVB  E, 5(OUT)                         \
	MOVB  6(CX), E                          \
	MOVB  E, 6(OUT)                         \
	MOVB  7(CX), E                          \
	MOVB  E, 7(OUT)                         \
	LEAQ  8(OUT), CX                        \
	LEAQ  1(OUT)(DX*1), OUT                 \
	MOVQ  CX, R15                           \
	SUBQ  BP, R15                           \
LOOP:                                   \
	CMPQ  CX, OUT                           \
	JCC   LAST                              \
	MOVQ  (R15), E                          \
	MOVQ  E, (CX)                           \
	ADDQ  $8, R15                           \
	ADDQ  $8, CX                            \
	JMP   LOOP                              \
LAST:                                   \
	JMP   DONE

// COPYLONG goes on after 40 bytes, by four words, as each end of the loop that was not foreseen
// costs more than they do.
#define COPYLONG(OUT, E, LOOP, DONE) \
	LEAQ  40(OUT), E                        \
	LEAQ  1(OUT)(DX*1), OUT                 \
LOOP:                                   \
	MOVQ 40(CX), R15                        \
	MOVQ R15, 0(E)                          \
	MOVQ 48(CX), R15                        \
	MOVQ R15, 8(E)                          \
	MOVQ 56(CX), R15                        \
	MOVQ R15, 16(E)                         \
	MOVQ 64(CX), R15                        \
	MOVQ R15, 24(E)                         \
	ADDQ  $32, CX                           \
	ADDQ  $32, E                            \
	CMPQ  E, OUT                            \
	JCS   LOOP                              \
	JMP   DONE

#define LITLEN_A Decoder_litlen
#define DIST_A   Decoder_dist
#define OUT_A    Decoder_out
#define LITLEN_B (Decoder__size+Decoder_litlen)
#define DIST_B   (Decoder__size+Decoder_dist)
#define OUT_B    (Decoder__size+Decoder_out)

// func pairBMI2(p *Pair, ahead int) (code int)
TEXT ·pairBMI2(SB), NOSPLIT, $48-24
	MOVQ p+0(FP), R13
	MOVQ ahead+8(FP), DX

	MOVQ Decoder_buf(R13), R10
	MOVQ R10, AX
	ADDQ Decoder_stop(R13), AX
	MOVQ AX, A_IN_END
	ADDQ Decoder_pos(R13), R10
	MOVQ Decoder_out(R13), DI
	LEAQ const_identity(DI), AX
	MOVQ AX, A_BASE
	MOVQ Decoder_o(R13), AX
	ADDQ DX, AX
	CMPQ AX, Decoder_limit(R13)
	CMOVQGT Decoder_limit(R13), AX
	ADDQ DI, AX
	MOVQ AX, A_OUT_END
	ADDQ Decoder_o(R13), DI
	MOVQ Decoder_bb(R13), R8
	MOVQ Decoder_n(R13), R9

	MOVQ (Decoder__size+Decoder_buf)(R13), R14
	MOVQ R14, AX
	ADDQ (Decoder__size+Decoder_stop)(R13), AX
	MOVQ AX, B_IN_END
	ADDQ (Decoder__size+Decoder_pos)(R13), R14
	MOVQ (Decoder__size+Decoder_out)(R13), SI
	LEAQ const_identity(SI), AX
	MOVQ AX, B_BASE
	MOVQ (Decoder__size+Decoder_o)(R13), AX
	ADDQ DX, AX
	CMPQ AX, (Decoder__size+Decoder_limit)(R13)
	CMOVQGT (Decoder__size+Decoder_limit)(R13), AX
	ADDQ SI, AX
	MOVQ AX, B_OUT_END
	ADDQ (Decoder__size+Decoder_o)(R13), SI
	MOVQ (Decoder__size+Decoder_bb)(R13), R11
	MOVQ (Decoder__size+Decoder_n)(R13), R12

	// Bounds, for each lane, until loop looks again: two steps.
	//
	// Input. At loop pos <= stop <= end+8. A step refills at its head and once more if the litlen code
	// is in a subtable (CONSUME), each time reading 8 bytes at pos and then advancing at most 7. The
	// last of four refills reads below end+8 + 3*7 + 8 = end+37 <= end+InSlack <= len(buf). 56 bits are
	// enough for a step, as in blockGo; these loops are not for Deflate64.
	//
	// Output written. At loop o <= limit-1. A step writes a byte at o (LITERAL, whether it is one or
	// not), goes on by 1 at most, and then by a match of at most 258: after two steps o is at most
	// limit-1 + 2*259 = limit+517. A copy runs on behind the match by at most 39 bytes: five words are
	// written for any length, which is at least 1; COPYLONG writes four more words only where the match
	// goes on, so up to 31 behind it; COPYNEAR writes eight bytes, up to 5 behind, and words where
	// the match goes on, up to 7 behind. So all writes are below limit+517 + 39 <= limit-1+outSlack <=
	// len(out).
	//
	// Output read. FAR leaves when the source of a match is in front of identity, so no copy reads in
	// front of that, and each reads at least its distance behind where it writes: below len(out) too.
	// COPYNEAR's words come from the multiple of the distance behind; that is at most 8 + the distance,
	// and the words begin 8 behind the start of the match: at the source or behind it. The five words
	// and COPYLONG see distances of at least 8. A literal has distance 0, which is not far, and not
	// near either (less 1 it is the largest number); its length of 1 is not long. It reads five words
	// from its byte's place in the identity table on, below identity+40 <= len(out).
	//
	// Tables. The index into a main table has litlenBits bits, or is a byte (distBits is 8). That into a
	// subtable is its start plus as many bits as choose, both from an entry that build made, which
	// filled all of that subtable.
loop:
	CMPQ R10, A_IN_END
	JGT  limit
	CMPQ DI, A_OUT_END
	JCC  limit
	CMPQ R14, B_IN_END
	JGT  limit
	CMPQ SI, B_OUT_END
	JCC  limit

	REFILL(R8, R9, R10)
	LITERAL(R8, R9, DI, AX, AH, LITLEN_A)
	REFILL(R11, R12, R14)
	LITERAL(R11, R12, SI, BX, BH, LITLEN_B)
	RORXL $const_countAt, AX, CX
	MATCH(R8, R9, DI, AX, AH, DIST_A, OUT_A, A_BASE, special1, go1, length1, dspecial1, dgo1, fara, near1, long1, done1)
	RORXL $const_countAt, BX, CX
	MATCH(R11, R12, SI, BX, BH, DIST_B, OUT_B, B_BASE, special2, go2, length2, dspecial2, dgo2, farb, near2, long2, done2)

	REFILL(R8, R9, R10)
	LITERAL(R8, R9, DI, AX, AH, LITLEN_A)
	REFILL(R11, R12, R14)
	LITERAL(R11, R12, SI, BX, BH, LITLEN_B)
	RORXL $const_countAt, AX, CX
	MATCH(R8, R9, DI, AX, AH, DIST_A, OUT_A, A_BASE, special3, go3, length3, dspecial3, dgo3, fara, near3, long3, done3)
	RORXL $const_countAt, BX, CX
	MATCH(R11, R12, SI, BX, BH, DIST_B, OUT_B, B_BASE, special4, go4, length4, dspecial4, dgo4, farb, near4, long4, done4)
	JMP loop

special1:
	SPECIALENTRY(R8, R9, R10, AX, AH, LITLEN_A, consume1, extra1, go1, length1, speciala)
special2:
	SPECIALENTRY(R11, R12, R14, BX, BH, LITLEN_B, consume2, extra2, go2, length2, specialb)
special3:
	SPECIALENTRY(R8, R9, R10, AX, AH, LITLEN_A, consume3, extra3, go3, length3, speciala)
special4:
	SPECIALENTRY(R11, R12, R14, BX, BH, LITLEN_B, consume4, extra4, go4, length4, specialb)

dspecial1:
	DSUBTABLE(R8, R9, DIST_A, dgo1, invalida)
dspecial2:
	DSUBTABLE(R11, R12, DIST_B, dgo2, invalidb)
dspecial3:
	DSUBTABLE(R8, R9, DIST_A, dgo3, invalida)
dspecial4:
	DSUBTABLE(R11, R12, DIST_B, dgo4, invalidb)

near1:
	COPYNEAR(DI, AX, nearloop1, nearlast1, done1)
near2:
	COPYNEAR(SI, BX, nearloop2, nearlast2, done2)
near3:
	COPYNEAR(DI, AX, nearloop3, nearlast3, done3)
near4:
	COPYNEAR(SI, BX, nearloop4, nearlast4, done4)

long1:
	COPYLONG(DI, AX, longloop1, done1)
long2:
	COPYLONG(SI, BX, longloop2, done2)
long3:
	COPYLONG(DI, AX, longloop3, done3)
long4:
	COPYLONG(SI, BX, longloop4, done4)

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
	SUBQ Decoder_buf(R13), R10
	MOVQ R10, Decoder_pos(R13)
	SUBQ Decoder_out(R13), DI
	MOVQ DI, Decoder_o(R13)
	MOVQ R8, Decoder_bb(R13)
	ANDL $63, R9
	MOVQ R9, Decoder_n(R13)
	SUBQ (Decoder__size+Decoder_buf)(R13), R14
	MOVQ R14, (Decoder__size+Decoder_pos)(R13)
	SUBQ (Decoder__size+Decoder_out)(R13), SI
	MOVQ SI, (Decoder__size+Decoder_o)(R13)
	MOVQ R11, (Decoder__size+Decoder_bb)(R13)
	ANDL $63, R12
	MOVQ R12, (Decoder__size+Decoder_n)(R13)
	MOVQ AX, code+16(FP)
	RET

// func oneBMI2(d *Decoder, ahead int) (code int)
TEXT ·oneBMI2(SB), NOSPLIT, $48-24
	MOVQ d+0(FP), R13
	MOVQ ahead+8(FP), DX

	MOVQ Decoder_buf(R13), R10
	MOVQ R10, AX
	ADDQ Decoder_stop(R13), AX
	MOVQ AX, A_IN_END
	ADDQ Decoder_pos(R13), R10
	MOVQ Decoder_out(R13), DI
	LEAQ const_identity(DI), AX
	MOVQ AX, A_BASE
	MOVQ Decoder_o(R13), AX
	ADDQ DX, AX
	CMPQ AX, Decoder_limit(R13)
	CMOVQGT Decoder_limit(R13), AX
	ADDQ DI, AX
	MOVQ AX, A_OUT_END
	ADDQ Decoder_o(R13), DI
	MOVQ Decoder_bb(R13), R8
	MOVQ Decoder_n(R13), R9

	// Bounds: those of a lane in pairBMI2, as the macros are the same. COUNTED also reads the upper half
	// of the entry that LITERAL reads.
oneloop:
	CMPQ R10, A_IN_END
	JGT  onelimit
	CMPQ DI, A_OUT_END
	JCC  onelimit

	REFILL(R8, R9, R10)
	COUNTED(R8, R9, DI, AX, AH, LITLEN_A)
	MATCH(R8, R9, DI, AX, AH, DIST_A, OUT_A, A_BASE, onespecial1, onego1, onelength1, onedspecial1, onedgo1, onefar, onenear1, onelong1, onedone1)

	REFILL(R8, R9, R10)
	COUNTED(R8, R9, DI, AX, AH, LITLEN_A)
	MATCH(R8, R9, DI, AX, AH, DIST_A, OUT_A, A_BASE, onespecial2, onego2, onelength2, onedspecial2, onedgo2, onefar, onenear2, onelong2, onedone2)
	JMP oneloop

onespecial1:
	SPECIALENTRY(R8, R9, R10, AX, AH, LITLEN_A, oneconsume1, oneextra1, onego1, onelength1, oneatspecial)
onespecial2:
	SPECIALENTRY(R8, R9, R10, AX, AH, LITLEN_A, oneconsume2, oneextra2, onego2, onelength2, oneatspecial)

onedspecial1:
	DSUBTABLE(R8, R9, DIST_A, onedgo1, oneinvalid)
onedspecial2:
	DSUBTABLE(R8, R9, DIST_A, onedgo2, oneinvalid)

onenear1:
	COPYNEAR(DI, AX, onenearloop1, onenearlast1, onedone1)
onenear2:
	COPYNEAR(DI, AX, onenearloop2, onenearlast2, onedone2)

onelong1:
	COPYLONG(DI, AX, onelongloop1, onedone1)
onelong2:
	COPYLONG(DI, AX, onelongloop2, onedone2)

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
	SUBQ Decoder_buf(R13), R10
	MOVQ R10, Decoder_pos(R13)
	SUBQ Decoder_out(R13), DI
	MOVQ DI, Decoder_o(R13)
	MOVQ R8, Decoder_bb(R13)
	ANDL $63, R9
	MOVQ R9, Decoder_n(R13)
	MOVQ AX, code+16(FP)
	RET
