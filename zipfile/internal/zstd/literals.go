package zstd

// The types of literals (3.1.1.3.1.1).
const (
	literalsRaw = iota
	literalsRLE
	literalsHuffman
	literalsTreeless
)

const (
	litSlack   = 64      // bytes behind literals, which are copied by 16
	leastLits  = 8 << 10 // bytes that literals get at least
	leastFours = 6       // literals in four streams, at least
)

// literals takes the literals of the block buf[at:end]: n bytes, slack behind them, and where the
// sequences begin.
func (z *Reader) literals(at, end int) (lits []byte, n, next int, err error) {
	p := z.buf[at:end]
	if len(p) == 0 {
		return nil, 0, 0, errBlock
	}
	kind, format := p[0]&3, p[0]>>2&3
	var head, stored int
	four := false
	if kind <= literalsRLE {
		head = [4]int{1, 2, 1, 3}[format]
		if len(p) < head {
			return nil, 0, 0, errBlock
		}
		n = int(number(p[:head]) >> [4]int{3, 4, 3, 4}[format])
		if stored = n; kind == literalsRLE {
			stored = 1
		}
	} else {
		head = [4]int{3, 3, 4, 5}[format]
		if len(p) < head {
			return nil, 0, 0, errBlock
		}
		size := [4]int{10, 10, 14, 18}[format]
		v := number(p[:head]) >> 4
		n, stored = int(v&(1<<size-1)), int(v>>size)
		four = format != 0
	}
	if n > z.block {
		return nil, 0, 0, found(errLiterals, "%d bytes, expected %d at most", n, z.block)
	}
	if stored > len(p)-head {
		return nil, 0, 0, errBlock
	}
	at += head
	next = at + stored
	if kind == literalsRaw {
		return z.buf[at:], n, next, nil
	}
	if len(z.lit) < n+litSlack {
		z.lit = make([]byte, min(max(n, 2*len(z.lit), leastLits), maxBlock)+litSlack)
	}
	lits = z.lit
	switch kind {
	case literalsRLE:
		fill(lits[:n], z.buf[at])
		return lits, n, next, nil
	case literalsHuffman:
		if at, err = z.readHuffman(at, next); err != nil {
			return nil, 0, 0, err
		}
		z.huffSet = true
	case literalsTreeless:
		if !z.huffSet {
			return nil, 0, 0, errTreeless
		}
	}
	if four {
		err = z.huffman.four(lits[:n], z.buf, at, next)
	} else {
		err = z.huffman.one(lits[:n], z.buf, at, next)
	}
	return lits, n, next, err
}
