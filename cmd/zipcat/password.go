package main

import (
	"zipcat.dev/zipfile"
)

// passwordTries is how often a password is asked for.
const passwordTries = 3

// asker asks for the password of one archive, when the first entry that needs it is read.
type asker struct {
	*app       // of the whole
	turn *turn // that reads it, nil for the whole
	ar   *archive
	// reopen opens the archive again, to try a password; closing gives that up.
	reopen func(o *zipfile.Options) (z *zipfile.ZipFile, closing func(), err error)

	done     bool
	password string
	err      error
}

// askPassword makes the options ask for a password, if none was given and there is somebody to
// ask.
func (a *app) askPassword(ar *archive, o *zipfile.Options, reopen func(o *zipfile.Options) (*zipfile.ZipFile, func(), error)) {
	whole := a
	for whole.part != nil {
		whole = whole.part.whole
	}
	if o.Password == "" && whole.canAsk() {
		ar.asker = &asker{app: whole, turn: a.part, ar: ar, reopen: reopen}
		o.PasswordFunc = ar.asker.get
	}
}

// mayAsk reports whether the archive's password would be asked for if an encrypted entry were read.
func (ar *archive) mayAsk() bool {
	if ar.asker == nil {
		return false
	}
	ar.asker.asking.Lock()
	defer ar.asker.asking.Unlock()
	return !ar.asker.done
}

func (p *asker) get(e zipfile.Entry) (string, error) {
	if p.turn != nil && p.ar.mayAsk() && !p.turn.front() {
		return "", errNoAnswer
	}
	p.asking.Lock()
	defer p.asking.Unlock()
	if p.done {
		return p.password, p.err
	}
	p.done, p.err = true, errNoAnswer
	// Archives of one run often share one.
	if p.lastPassword != "" && p.opens(e, p.lastPassword) {
		p.password, p.err = p.lastPassword, nil
		return p.password, nil
	}
	for try := range passwordTries {
		again := ""
		if try > 0 {
			again = "wrong password; "
		}
		password, err := p.tty.secret(again + "password for " + printable(archiveTitle(p.ar.name)) + ", " + printable(e.Name()) + ": ")
		if err != nil || password == "" {
			break
		}
		// Of several wrong ones the last decides what is told about the entry.
		p.password, p.err = password, nil
		if p.opens(e, password) {
			p.lastPassword = password
			break
		}
	}
	return p.password, p.err
}

// opens reports whether an entry can be opened with a password.
func (p *asker) opens(e zipfile.Entry, password string) bool {
	o := p.flags.options()
	o.Password, o.Only = password, p.ar.only
	z, closing, err := p.reopen(o)
	if err != nil {
		return false
	}
	defer closing()
	if e.Index() >= z.Len() {
		return false
	}
	r, err := z.At(e.Index()).Open()
	if err != nil {
		return false
	}
	r.Close()
	return true
}
