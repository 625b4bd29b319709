package inflate

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bottles is the text that the streams of other tools hold.
func bottles() (b []byte) {
	for i := 30; i > 0; i-- {
		b = fmt.Appendf(b, "%d bottles of milk in the cellar, %d bottles of milk; take one up and drink it.\n", i, i)
	}
	return b
}

// toolStream is a stream that a tool made, in base64.
type toolStream struct {
	name string
	want []byte
	src  string
}

func (c *toolStream) decoded(t *testing.T) []byte {
	src, err := base64.StdEncoding.DecodeString(c.src)
	require.NoError(t, err)
	return src
}

// TestTools: streams by tools, for what they make in their own way.
func TestTools(t *testing.T) {
	t.Parallel()
	for _, c := range []toolStream{
		{"zlib Z_HUFFMAN_ONLY", bottles(), "BcFbDuUoDEDB/6ziLCCK+t5+jrIaCEaxMDgCZ/9T9fMH2SNMFl7pag0dxC1cYpbmzs8fZI8wWXilq7WTSE3wIbwPaRTK1NHQOLbvf2SPMFl4pa" +
			"s1dBC3cIlZmjvf/8geYbLwSldrJ5Ga4EN4H9IolKmjoXFs339kjzBZeKWrNXQQt3CJWZo7339kjzBZeKWrtZNITfAhvA9pFMrU0dA4tu9fskeY" +
			"LLzS1Ro6iFu4xCzNne9fskeYLLzS1dpJpCb4EN6HNApl6mhoHNv3D9kjTBZe6WoNHcQtXGKW5s73D9kjTBZe6WrtJFITfAjvQxqFMnU0NI7t+5" +
			"vsESYLr3S1hg7iFi4xS3Pn+5vsESYLr3S1dhKpCT6E9yGNQpk6GhrH9v1F9giThVe6WkMHcQuXmKW58/1F9giThVe6WjuJ1AQfwvuQRqFMHQ2N" +
			"Y/v+JHuEycIrXa2hg7iFS8zS3Pn+JHuEycIrXa2dRGqCD+F9SKNQpo6GxrF9v2SPMFl4pas1dBC3cIlZmjvfL9kjTBZe6WrtJFITfAjvQxqFMn" +
			"U0NI7t+yF7hMnCK12toYO4hUvM0tz5fsgeYbLwSldrJ5Ga4EN4H9IolKmjoXFs3x9kjzBZeKWrNXQQt3CJWZo73x9kjzBZeKWrtZNITfAhvA9p" +
			"FMrU0dA4ts9/ZI8wWXilqzV0ELdwiVmaO5//yB5hsvBKV2snkZrgQ3gf0iiUqaOhcWyff2SPMFl4pas1dBC3cIlZmjuff2SPMFl4pau1k0hN8C" +
			"G8D2kUytTR0Di2z1+yR5gsvNLVGjqIW7jELM2dz1+yR5gsvNLV2kmkJvgQ3oc0CmXqaGgc2+cP2SNMFl7pag0dxC1cYpbmzucP2SNMFl7pau0k" +
			"UhN8CO9DGoUydTQ0ju3zm+wRJguvdLWGDuIWLjFLc+fzm+wRJguvdLV2EqkJPoT3IY1CmToaGsf2+UX2CJOFV7paQwdxC5eYpbnz+UX2CJOFV7" +
			"paO4nUBB/C+5BGoUwdDY1j+/wke4TJwitdraGDuIVLzNLc+fwke4TJwitdrZ1EaoIP4X1Io1CmjobGsX2+ZI8wWXilqzV0ELdwiVmaO58v2SNM" +
			"Fl7pau0kUhN8CO9DGoUydTQ0ju3zIXuEycIrXa2hg7iFS8zS3Pl8yB5hsvBKV2snkZrgQ3gf0iiUqaOhcWyfH2SPMFl4pas1dBC3cIlZmjufH2" +
			"SPMFl4pau1k0hN8CG8D2kUytTR0Di2/8geYbLwSldr6CBu4RKzNHf+I3uEycIrXa2dRGqCD+F9SKNQpo6GxrH9I3uEycIrXa2hg7iFS8zS3PlH" +
			"9giThVe6WjuJ1AQfwvuQRqFMHQ2NY/tL9giThVe6WkMHcQuXmKW585fsESYLr3S1dhKpCT6E9yGNQpk6GhrH9ofsESYLr3S1hg7iFi4xS3PnD9" +
			"kjTBZe6WrtJFITfAjvQxqFMnU0NI7tN9kjTBZe6WoNHcQtXGKW5s5vskeYLLzS1dpJpCb4EN6HNApl6mhoHNsvskeYLLzS1Ro6iFu4xCzNnV9k" +
			"jzBZeKWrtZNITfAhvA9pFMrU0dA4tp9kjzBZeKWrNXQQt3CJWZo7P8keYbLwSldrJ5Ga4EN4H9IolKmjoXFsX7JHmCy80tUaOohbuMQszZ0v2S" +
			"NMFl7pau0kUhN8CO9DGoUydTQ0ju1D9giThVe6WkMHcQuXmKW58yF7hMnCK12tnURqgg/hfUijUKaOhsax/Q8="},
		{"zlib Z_FIXED", bottles(), "MzZQSMovKclJLVbIT1PIzczJVsjMUyjJSFVITs3JSSzSUTDGUGGtUJKYnaqQn5eqUFqgkJiXopBSlJkH1Fiix2VkScg8TBV4zbMgaB6GCrzmmR" +
			"M0D0MFXvPMCJqHoQKveaYEzcNQgdc8E4LmYajAa54xQfMwVOA1z4igeRgq8JpnSNA8DBV4zSOYPzBV4DPPkGD+wFSB1zyC+QNTBV7zCOYPTBV4" +
			"zSOYPzBV4DWPYP7AVIHXPIL5A1MFXvMI5g9MFXjNI5g/MFXgNY9g/sBUgdc8gvkDUwU+8whmD5JyB8HMQVLeIJg1SMoZBDMGSfmCYLYgKVcQzB" +
			"Qk5QmCWYK0GoNggUxS+iWYfEkxDQA="},
		{"zlib flushes of all kinds", bottles(), "hMxbCoAgEEbh91bxLyAiErrQaiwnEk3Dpv3X+4Dzfs5nemyZOdKDfODyMcAn8EnYKUZbWhhRrGAbCDkR3hs2Obji0z9y1wyL5smi6s2qJ4qqN6" +
			"meKKreqHqiqHkfAAAA//+EzEENACAMwEBNjOHfGgKatP/LzcsPQr/ND0K/mx+EfpMfhH4nPwj7vgAyIpg/MFXgM8+QYP7AVIHXPIL5A1MFXvMI" +
			"5g9MFXjNI5g/MFXgMw8AAAD//4TMSw6AIAxF0bmreAswJvUzcjUoNRKwGKz713kTmN97aMGWVRM/yAeukCKCQE/Gzim50oNMsUJdZGRhvDeceP" +
			"gS5B916GhueqaoelPTM0XVG5ueKaoeNT1T1LxPhgYEzcNQgc88S0LGYSjAZ5oFIdMwFOAzzZyQaRgK8JlmRsg0DAX4TIMlegAAAAD//8JpGkm5" +
			"gmCmIClPEMwSJOUIghmCtPxAMPmSYhpAgAEA"},
		{"zopfli", bottles(), "hIyzAcRQAIb7m+Lvz9Yy0bO1f1KH9Yf7BY3LWZMER2GEVhAWmRO0ROs6HjA1/si1InCWoHjUtkMXhR3CfNrdvlu/ibH++/SV0wcNADAAgDBN7P" +
			"tXNgkEA82tei95V72bvKPeSd5WbydvqbeSN9WbyRvqjeShHsnTHyP9QH+QfqA/SD/QH6Qf6A/SD/QH6Qf6g/QD/UH6gf4g/QD1SJ7+IP3QHmmH" +
			"5kg3tEaaoTHSC22RVmiKdEJLpBEaon0wLW34"},
		{"libdeflate -12", bottles(), "ldUxDsIwEETRnlPsARCK7SR2xGkCGBHFOCiY+0NPMfr97uu+JnR22Vor+W3b3Z5LWW2p1h7ZrrmUeT9a+Ls4W5vXbFvN9nnZXG9225f6e2yng5" +
			"+U5yfkJekl5EXpReSN0huRN0hvQF4vvR55QXoBeV56HnlOeg55nfRQH0724SbkJekl5EXpReSN0huRN0hvQF4vvR55QXoBeV56HnlOeg55nfRQ" +
			"HzIPVIeMA7Uh00BlyDBQFzILVIWMAjUhk2CLoTTWg9JQDV8="},
		{"7-Zip", bottles(), "ldUxDsIwEETRnlPsARCK7SR2xGkCGBHFOCiY+0NPMfr97uu+JnR22Vor+W3b3Z5LWW2p1h7ZrrmUeT/a/8XZ2rxm22q2z8vmerPbvtTfYzsd/K" +
			"Q8PyEvSS8hL0ovIm+U3oi8QXoD8nrp9cgL0gvI89LzyHPSc8jrpIf6cLIPNyEvSS8hL0ovIm+U3oi8QXoD8nrp9cgL0gvI89LzyHPSc8jrpIf6" +
			"kHmgOmQcqA2ZBipDhoG6kFmgKmQUqAmZBFsMpbEelIZq+AI="},
		{"igzip -0", bottles(), "7f0JgBxF+b+B92Y31ySbBEBFRVIEIAnMLrubO4Eku7khF0m4BIXemd6dJjPTQ/dMNosI8VZRwftWVMRbUfEWDYmKN3jfGkUF7yCqoJD9/5/3rZ6p3d1" +
			"w+v39vr//381mZ7q7qup933rrrU+99Vb1vA7TG1WrxSAxUZ8phcWdJiybaiEwuaBY9OOsGZ1iman6OwMTlQNTqxi/nDf5OCzvNGG1PdO1ZGTqkeWNTv" +
			"Gg5S0emXpUeaNSPGh5i0amHlXeqBQPWt7CkalHlTcqxYOWt2Bk6lHljUrxoOXNH5l6VHmjUjxoefNGph5V3qgUD1pe18jUo8obleJBy+scmXpUeaNSP" +
			"Gh5o7R/VHmjUjxYeZ2jtH9keaNTPGh5o7R/VHmjUjxoeaO0f1R5o1I8aHmjtH9UeaNSPGh5o7R/VHmjUjxoeaO0f1R5o1I8aHmjtH9UeaNSPGh5o7R/" +
			"VHmjUjxoeaO0f1R5o1I8aHmjtH9UeaNSPFh5o5R/ZHGjEjxYaaNUf2RpoxI8WGmjFH9kaaMSPFhpo9R+ZGmjEjxYaaOUfmRpoxI8WGmjVH5kaaMSPFh" +
			"poxR+ZGmjEjxYaaPUfWRpoxI8WGmjlH1kaaMSPFhp/x8="},
		{"igzip -3", bottles(), "fdLLDcIwFAXRPVW8AhAiCV9RTSBGWDEOCqZ/9nekux+d1Qz7uC+tlfSN5RnvXObINdorxSOVMq7bYHGLNs4plpri94mxTjGtuc6R227TX7VWj4X1Llr" +
			"DQ2G9s9bwUFjvpDU8FNY7ag0PhfUOWsNDYb1Ba3gorNdrDQ+F9Tqt4aGwHu6Hh8J5He5Xj4X1cD88FNbD/fBQWA/3w0NhPdwPD4X1cD88FNbD/fBQWA" +
			"/3w0NhPdwPD4X1cD88FM7D/MohcBrWVw2B0zC+agichu1VQ+A0TK8aAqdhedUQOA3Dq4bAadhdNQROw+yqIXDaHw=="},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := c.decoded(t)
			for name, decode := range ways {
				got := decode(src, len(c.want))
				require.NoError(t, got.err, name)
				require.True(t, bytes.Equal(c.want, got.out), name)
				assert.Equal(t, len(src), got.used, name)
			}
			got := streamed(bytes.NewReader(src), len(c.want))
			require.NoError(t, got.err)
			require.True(t, bytes.Equal(c.want, got.out))
		})
	}
}
