package await

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Partial is an object that exists and did not become ready or did not go. The
// engine stores it with its reasons and tries again on the next update.
type Partial struct {
	// Object is the last state seen.
	Object *unstructured.Unstructured
	// Reasons list the last faults, one a line; may be empty.
	Reasons []string

	message string
}

// Error is the official plugin's text, which does not name the reasons.
func (p *Partial) Error() string { return p.message }

func timedOut(obj *unstructured.Unstructured, reasons []string, _ error) *Partial {
	return &Partial{Object: obj, Reasons: reasons,
		message: fmt.Sprintf("'%s' timed out waiting to be Ready", obj.GetName())}
}

func cancelled(obj *unstructured.Unstructured, reasons []string) *Partial {
	return &Partial{Object: obj, Reasons: reasons,
		message: fmt.Sprintf("Resource operation was cancelled for %q", obj.GetName())}
}

func notInitialized(obj *unstructured.Unstructured, reasons []string) *Partial {
	return &Partial{Object: obj, Reasons: reasons,
		message: fmt.Sprintf("Resource '%s' was created but failed to initialize", obj.GetName())}
}

// conditionTimedOut names what an expression could not read instead, if so.
func conditionTimedOut(obj *unstructured.Unstructured, _ []string, failure error) *Partial {
	if failure != nil {
		return &Partial{Object: obj, message: failure.Error()}
	}
	return &Partial{Object: obj, message: "timed out waiting for the condition"}
}
