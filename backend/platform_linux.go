package backend

import (
	"os"
	"syscall"
)

// platformMaps says whether x/exp/mmap really maps here.
const platformMaps = true

// networkName names the network, cluster and FUSE file systems by the type that
// statfs(2) gives; others are "". The numbers are those of linux/magic.h and, for
// what is not part of the kernel, of stat.c in GNU coreutils, which marks the
// same ones as remote.
func networkName(magic uint32) string {
	switch magic {
	case 0x01021997:
		return "9p"
	case 0x61636673:
		return "acfs"
	case 0x5346414f, 0x6b414653: // the second is the client in the kernel
		return "afs"
	case 0x19830326:
		return "beegfs"
	case 0x00c36400:
		return "ceph"
	case 0xff534d42:
		return "cifs"
	case 0x73757245:
		return "coda"
	case 0x65735546: // virtiofs too
		return "fuse"
	case 0x01161970:
		return "gfs2"
	case 0x47504653:
		return "gpfs"
	case 0x0bd00bd0:
		return "lustre"
	case 0x0000564c:
		return "ncp"
	case 0x00006969:
		return "nfs"
	case 0x7461636f:
		return "ocfs2"
	case 0x20030528:
		return "orangefs"
	case 0xaad7aaea:
		return "panfs"
	case 0x7c7c6673:
		return "prl_fs"
	case 0x0000517b:
		return "smb"
	case 0xfe534d42:
		return "smb2"
	case 0xbeefdead:
		return "snfs"
	case 0x786f4256:
		return "vboxsf"
	case 0xbacbacbc:
		return "vmhgfs"
	}
	return ""
}

// networkFileSystem returns the name of the network or FUSE file system that f is
// on, or "" if it is on another or that cannot be told.
func networkFileSystem(f *os.File) string {
	var st syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &st); err != nil {
		return ""
	}
	return networkName(uint32(st.Type)) // the field's width differs between architectures
}
