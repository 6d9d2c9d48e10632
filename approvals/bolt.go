package approvals

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"gavel"
	"gavel/internal/private"
	"gavel/internal/rescue"
)

// The buckets of the file.
const (
	bucketMeta      = "meta"
	bucketApprovals = "approvals" // id → record
	bucketHistory   = "history"   // command → History
	bucketRedeemed  = "redeemed"  // key of a grant → when it may be forgotten
	formatKey       = "format"
	belowKey        = "redeemed-below" // no grant is accepted that ends by then
	format          = "gavel-approvals-1"
	lockTimeout     = 2 * time.Second
)

// OnDisk is a Store in one bbolt file. Everything is read on open and answered from memory.
// Every change is synced to disk before it counts, so kill -9 loses nothing that was
// acknowledged. Only one process can open the file at a time.
type OnDisk struct {
	*InMemory
	db     *bbolt.DB
	path   string
	file   *os.File // that the database has open
	fresh  bool     // the file has just been created
	closed sync.Once

	// The lock for writing guards what follows.
	size   int64 // of the file after the last change
	broken error // a change failed midway: the database still holds its locks, so it is not used again
}

var _ Store = (*OnDisk)(nil)

// OpenOnDisk opens the file at path, or creates it with mode 0600. A file that is a link,
// belongs to another user, is accessible to others, or is empty, truncated or damaged is
// refused and left unchanged (R34): CodeApprovalsUnavailable.
func OpenOnDisk(path string) (*OnDisk, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, errUnusable(path, err)
	}
	fresh, err := create(path)
	if err != nil {
		return nil, errUnusable(path, err)
	}
	if err := checkComplete(path); err != nil {
		return nil, errUnusable(path, err)
	}
	db, file, err := openBolt(path)
	if err != nil {
		return nil, errUnusable(path, err)
	}
	s := &OnDisk{InMemory: NewInMemory(), db: db, path: path, file: file, fresh: fresh}
	if err := recoverFault(s.load); err != nil {
		return nil, errUnusable(path, errors.Join(err, db.Close()))
	}
	if err := s.checkIntact(); err != nil {
		return nil, errUnusable(path, errors.Join(err, db.Close()))
	}
	s.persist = s.write
	return s, nil
}

func errUnusable(path string, err error) error {
	fix := "restore the file, or move it away to start without approvals"
	if errors.Is(err, bolterrors.ErrTimeout) {
		err, fix = errors.New("another process has it open"), "stop the other gavel serve, or use another directory with --state"
	}
	return &gavel.ApprovalError{Code: gavel.CodeApprovalsUnavailable, Message: fmt.Sprintf("the approvals database %s cannot be used", path), Fix: fix, Err: err}
}

func openBolt(path string) (db *bbolt.DB, file *os.File, err error) {
	err = recoverFault(func() error {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockTimeout, OpenFile: func(name string, flag int, mode os.FileMode) (opened *os.File, err error) {
			opened, err = private.OpenFile(name, flag, mode)
			file = opened
			return opened, err
		}})
		return err
	})
	return db, file, err
}

// recoverFault calls f, and turns a panic about a damaged page into an error. The file is mapped
// into memory, so reading a missing page is a memory fault, which becomes an error as well.
func recoverFault(f func() error) error {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	err := rescue.Call(f)
	if rescue.Stack(err) != "" {
		return fmt.Errorf("the file is damaged: %w", err)
	}
	return err
}

// buckets makes the buckets of a new file.
func buckets(tx *bbolt.Tx) error {
	for _, name := range []string{bucketMeta, bucketApprovals, bucketHistory, bucketRedeemed} {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return tx.Bucket([]byte(bucketMeta)).Put([]byte(formatKey), []byte(format))
}

// load reads everything.
func (s *OnDisk) load() error {
	return s.db.View(func(tx *bbolt.Tx) error {
		meta := tx.Bucket([]byte(bucketMeta))
		if meta == nil {
			return fmt.Errorf("bucket %s is missing", bucketMeta)
		}
		if found := string(meta.Get([]byte(formatKey))); found != format {
			return fmt.Errorf("its format is %q, but this build reads %q", found, format)
		}
		if text := meta.Get([]byte(belowKey)); text != nil {
			if err := s.cutoff.UnmarshalText(text); err != nil {
				return fmt.Errorf("%s: %w", belowKey, err)
			}
		}
		return errors.Join(
			each(tx, bucketApprovals, func(_ string, a gavel.Approval) { s.put(a) }),
			each(tx, bucketHistory, func(command string, h History) { s.history[command] = h }),
			each(tx, bucketRedeemed, func(key string, until time.Time) { s.redeemed[key] = until }))
	})
}

// Begin implements Store. With a new file it is unknown which grants were used before, for
// example if the old file was deleted, so none of those is accepted.
func (s *OnDisk) Begin(_ context.Context, now time.Time) error {
	if !s.fresh {
		return nil
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	below := now.UTC().Truncate(time.Second).Add(2*GrantLife - time.Second)
	if err := s.persist(change{cutoff: below}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cutoff, s.fresh = below, false
	return nil
}

// each reads a bucket. An unreadable value is an error; nothing is skipped.
func each[T any](tx *bbolt.Tx, bucket string, f func(key string, value T)) error {
	b := tx.Bucket([]byte(bucket))
	if b == nil {
		return fmt.Errorf("bucket %s is missing", bucket)
	}
	return b.ForEach(func(key, text []byte) error {
		var value T
		if err := json.Unmarshal(text, &value); err != nil {
			return fmt.Errorf("%s %q: %w", bucket, key, err)
		}
		f(string(key), value)
		return nil
	})
}

// write makes one change durable, in the file that a restart will find.
func (s *OnDisk) write(c change) error {
	err := s.broken
	if err == nil {
		err = s.checkIntact()
	}
	if err == nil {
		if err = recoverFault(func() error { return s.update(c) }); rescue.Stack(err) != "" {
			s.broken = err
		}
	}
	if err == nil {
		err = s.checkIntact() // the file may have been lost meanwhile, and with it the change
	}
	if err != nil {
		return &gavel.ApprovalError{Code: gavel.CodeApprovalsUnavailable, Message: "the approval could not be stored",
			Fix: "see the server's log; is the disk full?", Err: err}
	}
	return nil
}

func (s *OnDisk) update(c change) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		if c.put != nil {
			if err := set(tx, bucketApprovals, c.put.ID, c.put); err != nil {
				return err
			}
		}
		if c.forget != "" {
			if err := tx.Bucket([]byte(bucketApprovals)).Delete([]byte(c.forget)); err != nil {
				return err
			}
		}
		if c.history != nil {
			if err := set(tx, bucketHistory, c.command, c.history); err != nil {
				return err
			}
		}
		return writeRedeemed(tx, c)
	})
}

func writeRedeemed(tx *bbolt.Tx, c change) error {
	for _, key := range c.expired {
		if err := tx.Bucket([]byte(bucketRedeemed)).Delete([]byte(key)); err != nil {
			return err
		}
	}
	if !c.cutoff.IsZero() {
		text, err := c.cutoff.MarshalText()
		if err != nil {
			return err
		}
		if err := tx.Bucket([]byte(bucketMeta)).Put([]byte(belowKey), text); err != nil {
			return err
		}
	}
	if c.redeem == "" {
		return nil
	}
	return set(tx, bucketRedeemed, c.redeem, c.until)
}

func set(tx *bbolt.Tx, bucket, key string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return tx.Bucket([]byte(bucket)).Put([]byte(key), text)
}

// Close closes the file. It may be called twice.
func (s *OnDisk) Close() error {
	var err error
	s.closed.Do(func() {
		s.writing.Lock() // waits for a write in progress
		defer s.writing.Unlock()
		s.persist = func(change) error {
			return &gavel.ApprovalError{Code: gavel.CodeApprovalsUnavailable, Message: "approvals are closed", Fix: "try again when Gavel is running again"}
		}
		if s.broken == nil {
			err = s.db.Close()
		}
	})
	return err
}
