package hypervisor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// qcow2Header is the beginning of a qcow2 file, up to the size of its disk,
// https://gitlab.com/qemu-project/qemu/-/blob/master/docs/interop/qcow2.rst.
type qcow2Header struct {
	Magic, Version    uint32
	Backing           uint64
	BackingSize, Bits uint32
	Size              uint64
}

// qcow2Magic is the beginning of a qcow2 file: QFI and 0xfb.
const qcow2Magic = 0x514649fb

// ImageGiB returns the size of the disk in a qcow2 file.
func ImageGiB(path string) (gib float64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var header qcow2Header
	switch err := binary.Read(file, binary.BigEndian, &header); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), err == nil &&
		header.Magic != qcow2Magic:
		return 0, fmt.Errorf("expected a qcow2 file, found another: %s", path)
	case err != nil:
		return 0, err
	}
	return float64(header.Size) / math.Exp2(30), nil
}
