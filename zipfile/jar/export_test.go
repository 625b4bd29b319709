package jar

// ParseBlock parses a signature block for tests.
func ParseBlock(b []byte) error {
	_, err := parseSignedData(b)
	return err
}

// Definite is definite.
var Definite = definite

// Base64Value is base64Value.
var Base64Value = base64Value
