package charset

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// ByLabel returns the character set of a label, in any case: one of the WHATWG Encoding Standard, of the IANA
// registry, or a code page of Windows (cp932). Where the first two differ it is the former, which says
// what files that are so labelled really hold: gb2312 is GBK, iso-8859-1 windows-1252. ok is false when
// the label is unknown, or nothing here can decode it.
func ByLabel(label string) (enc encoding.Encoding, ok bool) {
	label = strings.ToLower(strings.TrimSpace(label))
	if label == "" || strings.ContainsAny(label, " \t\r\n\f") {
		return nil, false
	}
	for _, c := range labelled() {
		if strings.Contains(" "+c.labels+" ", " "+label+" ") {
			return c.enc, true
		}
	}
	return nil, false
}

type labels struct {
	enc    encoding.Encoding
	labels string
}

// labelled is what the packages htmlindex and ianaindex know: their tables take memory and time in each program
// that starts with them, these take none.
func labelled() []labels {
	return []labels{
		{charmap.CodePage037, "cp037 csibm037 ebcdic-cp-ca ebcdic-cp-nl ebcdic-cp-us ebcdic-cp-wt ibm037"},
		{charmap.CodePage437, "437 cp437 cspc8codepage437 ibm437"},
		{charmap.CodePage850, "850 cp850 cspc850multilingual ibm850"},
		{charmap.CodePage852, "852 cp852 cspcp852 ibm852"},
		{charmap.CodePage855, "855 cp855 csibm855 ibm855"},
		{charmap.CodePage858, "ccsid00858 cp00858 csibm00858 ibm00858 pc-multilingual-850+euro"},
		{charmap.CodePage860, "860 cp860 csibm860 ibm860"},
		{charmap.CodePage862, "862 cp862 cspc862latinhebrew ibm862"},
		{charmap.CodePage863, "863 cp863 csibm863 ibm863"},
		{charmap.CodePage865, "865 cp865 csibm865 ibm865"},
		{charmap.CodePage866, "866 cp866 csibm866 ibm866"},
		{charmap.CodePage1047, "csibm1047 ibm-1047 ibm1047"},
		{charmap.CodePage1140, "ccsid01140 cp01140 csibm01140 ebcdic-us-37+euro ibm01140"},
		{charmap.ISO8859_2, "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"},
		{charmap.ISO8859_3, "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"},
		{charmap.ISO8859_4, "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"},
		{charmap.ISO8859_5, "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988"},
		{charmap.ISO8859_6, "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"},
		{charmap.ISO8859_6E, "iso_8859-6-e"},
		{charmap.ISO8859_6I, "iso_8859-6-i"},
		{charmap.ISO8859_7, "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek"},
		{charmap.ISO8859_8, "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual"},
		{charmap.ISO8859_8E, "iso_8859-8-e"},
		{charmap.ISO8859_8I, "csiso88598i iso-8859-8-i iso_8859-8-i logical"},
		{charmap.ISO8859_10, "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 iso_8859-10:1992 l6 latin6"},
		{charmap.ISO8859_13, "csiso885913 iso-8859-13 iso8859-13 iso885913"},
		{charmap.ISO8859_14, "csiso885914 iso-8859-14 iso-celtic iso-ir-199 iso8859-14 iso885914 iso_8859-14 iso_8859-14:1998 l8 latin8"},
		{charmap.ISO8859_15, "csiso885915 csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9 latin-9"},
		{charmap.ISO8859_16, "csiso885916 iso-8859-16 iso-ir-226 iso_8859-16 iso_8859-16:2001 l10 latin10"},
		{charmap.KOI8R, "cskoi8r koi koi8 koi8-r koi8_r"},
		{charmap.KOI8U, "cskoi8u koi8-ru koi8-u"},
		{charmap.Macintosh, "csmacintosh mac macintosh x-mac-roman"},
		{charmap.MacintoshCyrillic, "x-mac-cyrillic x-mac-ukrainian"},
		{charmap.Windows874, "cswindows874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"},
		{charmap.Windows1250, "cp1250 cswindows1250 windows-1250 x-cp1250"},
		{charmap.Windows1251, "cp1251 cswindows1251 windows-1251 x-cp1251"},
		{charmap.Windows1252, "ansi_x3.4-1968 ansi_x3.4-1986 ascii cp1252 cp367 cp819 csascii csisolatin1 cswindows1252 ibm367 ibm819 iso-8859-1 iso-ir-100 iso-ir-6 iso646-us iso8859-1 iso88591 iso_646.irv:1991 iso_8859-1 iso_8859-1:1987 l1 latin1 us us-ascii windows-1252 x-cp1252"},
		{charmap.Windows1253, "cp1253 cswindows1253 windows-1253 x-cp1253"},
		{charmap.Windows1254, "cp1254 csisolatin5 cswindows1254 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254"},
		{charmap.Windows1255, "cp1255 cswindows1255 windows-1255 x-cp1255"},
		{charmap.Windows1256, "cp1256 cswindows1256 windows-1256 x-cp1256"},
		{charmap.Windows1257, "cp1257 cswindows1257 windows-1257 x-cp1257"},
		{charmap.Windows1258, "cp1258 cswindows1258 windows-1258 x-cp1258"},
		{charmap.XUserDefined, "x-user-defined"},
		{japanese.EUCJP, "cseucpkdfmtjapanese euc-jp extended_unix_code_packed_format_for_japanese x-euc-jp"},
		{japanese.ISO2022JP, "csiso2022jp iso-2022-jp"},
		{japanese.ShiftJIS, "cp932 csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"},
		{korean.EUCKR, "cp949 cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"},
		{simplifiedchinese.GB18030, "cp54936 csgb18030 gb18030"},
		{simplifiedchinese.GBK, "chinese cp936 csgb2312 csgbk csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 ms936 windows-936 x-gbk"},
		{simplifiedchinese.HZGB2312, "hz-gb-2312"},
		{traditionalchinese.Big5, "big5 big5-hkscs cn-big5 cp950 csbig5 x-x-big5"},
		{unicode.UTF8, "cp65001 csutf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"},
		{unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "csutf16be unicodefffe utf-16be"},
		{unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "csutf16"},
		{unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "csunicode csutf16le iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"},
	}
}
