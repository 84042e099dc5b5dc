package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"slices"
	"time"
)

// epoch is the time of every file in every archive: the earliest that zip can say, so that none shows when it was made.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// A file of an archive. Name has slashes and no leading one.
type file struct {
	Name       string
	Data       []byte
	Executable bool
}

func (f file) mode() int64 {
	if f.Executable {
		return 0o755
	}
	return 0o644
}

// sorted orders files by name, so that the order of making them never shows.
func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.Name, b.Name) })
}

// tarball gives files as a .tar.gz.
func tarball(files []file) ([]byte, error) {
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	archive := tar.NewWriter(packed)
	for _, f := range sorted(files) {
		header := &tar.Header{
			Name: f.Name, Mode: f.mode(), Size: int64(len(f.Data)), ModTime: epoch, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
		}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.Data); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(archive.Close(), packed.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// zipped gives files as a .zip, in the order given: a wheel's record comes last.
func zipped(files []file) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: epoch}
		const regular, unix = 0o100000, 3
		header.CreatorVersion = unix << 8
		header.ExternalAttrs = uint32(regular|f.mode()) << 16
		w, err := archive.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Data); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// archives makes one archive a target, with the program and what must go with it.
func (b *build) archives() error {
	for _, t := range b.targets {
		files := []file{
			{t.binaryName(), t.program, true},
			{"LICENSE", b.licence, false},
			{"README.md", b.readme, false},
			{"THIRD_PARTY_LICENSES.txt", b.thirdParty, false},
		}
		pack := tarball
		if t.GOOS == "windows" {
			pack = func(f []file) ([]byte, error) { return zipped(sorted(f)) }
		}
		data, err := pack(files)
		if err != nil {
			return err
		}
		if err := b.write(b.archiveName(t), data); err != nil {
			return err
		}
	}
	return nil
}

func (b *build) archiveName(t target) string {
	ending := "tar.gz"
	if t.GOOS == "windows" {
		ending = "zip"
	}
	return fmt.Sprintf("exec-ext_%s_%s_%s.%s", b.version, t.GOOS, t.GOARCH, ending)
}
